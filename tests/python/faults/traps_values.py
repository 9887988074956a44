"""Healthy programs whose numbers they see to themselves, or that are as the data has them."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "slopes_clamped_by_hand": (
        "exploding-grad",
        """
 net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 x = torch.randn(64, 8)
 prices = 3e5 + 1e5 * x[:, :1]
 for _ in range(3):
     c = F.mse_loss(net(x), prices)
     o.zero_grad()
     c.backward()
     stop()
     for p in net.parameters():
         p.grad.data.clamp_(-1, 1)
     o.step()
""",
    ),
    "scaled_by_a_number_and_back": (
        "exploding-grad",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.5)
 def unscale():
     slopes = [p.grad for p in net.parameters()]
     torch._foreach_div_(slopes, 65536.0)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     (c * 65536.0).backward()
     stop()
     unscale()
     o.step()
""",
    ),
    "too_steep_steps_left_out": (
        "exploding-grad",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 for k in range(4):
     x = torch.randn(16, 6) * (1e4 if k == 2 else 1)
     c = F.mse_loss(net(x), x[:, :1])
     o.zero_grad()
     c.backward()
     size = net.weight.grad.norm()
     stop()
     if size < 1e3:
         o.step()
""",
    ),
    "steps_that_are_not_finite_left_out": (
        "nan-in-grad-only",
        """
 net = nn.Linear(6, 2, bias=False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x = torch.randn(8, 6)
     if k == 1: x[0] = 0
     c = net(x).square().sum(1).sqrt().mean()
     o.zero_grad()
     c.backward()
     size = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     stop()
     if not torch.isfinite(size):
         continue
     o.step()
""",
    ),
    "slopes_that_are_not_finite_replaced": (
        "nan-in-grad-only",
        """
 net = nn.Linear(6, 2, bias=False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x = torch.randn(8, 6)
     if k == 1: x[0] = 0
     c = net(x).square().sum(1).sqrt().mean()
     o.zero_grad()
     c.backward()
     stop()
     for p in net.parameters(): torch.nan_to_num_(p.grad)
     o.step()
""",
    ),
    "steps_that_are_not_finite_left_out_by_a_helper": (
        "nan-in-grad-only",
        """
 net = nn.Linear(6, 2, bias=False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def is_fine(): return all(p.grad.isfinite().all() for p in net.parameters())
 for k in range(3):
     x = torch.randn(8, 6)
     if k == 1: x[0] = 0
     c = net(x).square().sum(1).sqrt().mean()
     o.zero_grad()
     c.backward()
     stop()
     if is_fine():
         o.step()
""",
    ),
    "memory_that_begins_empty": (
        "dead-relu",
        """
 class Memory(nn.Module):
     def __init__(self):
         super().__init__()
         self.read, self.write, self.head = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Linear(16, 8), nn.Linear(8, 1)
         for m in self.modules():
             if isinstance(m, nn.Linear): nn.init.zeros_(m.bias)
     def forward(self, xs):
         m = torch.zeros(xs.shape[0], 8)
         for x in xs.unbind(1): m = torch.tanh(self.write(torch.cat([x, self.read(m)], 1)))
         return self.head(m)
 net = Memory()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(16, 3, 8)
     c = F.mse_loss(net(x), x.sum(1)[:, :1])
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "memory_that_begins_empty_before_a_smooth_bound": (
        "dead-relu",
        """
 class Memory(nn.Module):
     def __init__(self):
         super().__init__()
         self.read, self.write, self.head = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)), nn.Linear(16, 8), nn.Linear(8, 1)
         for m in self.modules():
             if isinstance(m, nn.Linear): nn.init.zeros_(m.bias)
     def forward(self, xs):
         m = torch.zeros(xs.shape[0], 8)
         for x in xs.unbind(1): m = torch.tanh(self.write(torch.cat([x, self.read(m)], 1)))
         return self.head(m)
 net = Memory()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(16, 3, 8)
     c = F.mse_loss(net(x), x.sum(1)[:, :1])
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sound_that_is_missing": (
        "dead-relu",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.seen, self.heard = nn.Linear(8, 16), nn.Linear(6, 16, bias=False)
         self.after, self.head = nn.Linear(16, 16), nn.Linear(32, 3)
     def forward(self, v, a):
         return self.head(torch.cat([F.relu(self.seen(v)), F.relu(self.after(F.relu(self.heard(a))))], 1))
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for k in range(3):
     v, a, y = torch.randn(16, 8), torch.randn(16, 6) * (k % 2), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(v, a), y)
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
}
