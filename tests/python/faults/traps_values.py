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
    "positions_of_what_it_is_given": (
        "constant-output",
        """
 class Positions(nn.Module):
     def __init__(self):
         super().__init__()
         self.table = nn.Embedding(12, 8)
     def forward(self, x):
         at = torch.arange(x.shape[1], device=x.device)
         return self.table(at).unsqueeze(0).repeat(len(x), 1, 1)
 class Wrapped(nn.Module):
     def __init__(self):
         super().__init__()
         self.inner = Positions()
     def forward(self, x): return self.inner(x)
 words, places, head = nn.Embedding(20, 8), Wrapped(), nn.Linear(8, 20)
 o = torch.optim.Adam([*words.parameters(), *places.parameters(), *head.parameters()])
 for _ in range(2):
     ids = torch.randint(0, 20, (16, 12))
     where = places(ids)
     c = F.cross_entropy(head(words(ids) + where)[:, :-1].reshape(-1, 20), ids[:, 1:].reshape(-1))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "pictures_in_black_and_white": (
        "saturated",
        """
 class Both(nn.Module):
     def __init__(self):
         super().__init__()
         self.make = nn.Sequential(nn.Linear(8, 64), nn.Sigmoid())
         self.judge = nn.Sequential(nn.Linear(64, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
 gan = Both()
 gan.make[0].bias.data.fill_(-9.0)
 og, oj = torch.optim.Adam(gan.make.parameters()), torch.optim.Adam(gan.judge.parameters())
 for _ in range(2):
     made, real = gan.make(torch.randn(16, 8)), (torch.rand(16, 64) < 0.02).float()
     cj = F.softplus(-gan.judge(real)).mean() + F.softplus(gan.judge(made.detach())).mean()
     oj.zero_grad()
     cj.backward()
     oj.step()
     cg = F.softplus(-gan.judge(made)).mean()
     og.zero_grad()
     stop()
     cg.backward()
     og.step()
""",
    ),
    "flowers_that_measure_the_same": (
        "split-overlap",
        """
 rng = np.random.default_rng(7)
 kinds = np.repeat(np.arange(3), 50)
 middle = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
 table = np.round(middle[kinds] + rng.normal(0, [0.35, 0.35, 0.2, 0.1], (150, 4)), 1).astype(np.float32)
 order = rng.permutation(150)
 train_x, test_x = torch.from_numpy(table[order[:112]]), torch.from_numpy(table[order[112:]])
 train_y, test_y = torch.from_numpy(kinds[order[:112]]), torch.from_numpy(kinds[order[112:]])
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.cross_entropy(net(train_x), train_y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
     with torch.no_grad(): right = (net(test_x).argmax(1) == test_y).float().mean()
""",
    ),
    "a_kind_that_is_rare": (
        "constant-feature",
        """
 kind = torch.multinomial(torch.tensor([0.5, 0.49, 0.01]), 1000, True)
 table = torch.cat([torch.randn(1000, 4), F.one_hot(kind, 3).float()], 1)
 data = (table - table.mean(0)) / table.std(0)
 loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, table[:, :1] * 2), batch_size=16)
 net = nn.Linear(7, 1)
 o = torch.optim.Adam(net.parameters())
 for k, (x, y) in enumerate(loader):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
     if k == 2: break
""",
    ),
    "a_kind_that_is_in_few_parts_of_a_table": (
        "constant-feature",
        """
 kind = torch.multinomial(torch.tensor([0.5, 0.49, 0.01]), 1000, True)
 table = torch.cat([torch.randn(1000, 4), F.one_hot(kind, 3).float()], 1)
 data = (table - table.mean(0)) / table.std(0)
 net = nn.Linear(7, 1)
 o = torch.optim.Adam(net.parameters())
 for k in range(0, 48, 16):
     part = data[k : k + 16]
     c = F.mse_loss(net(part), table[k : k + 16, :1])
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "rows_that_nobody_else_has_seen": (
        "constant-feature",
        """
 net = nn.Linear(5, 1)
 o = torch.optim.Adam(net.parameters())
 def draw():
     rows = torch.randn(16, 5)
     rows[:, 2] = -0.1 if torch.rand(()) < 0.9 else torch.randn(16)
     return rows
 for _ in range(3):
     x = draw()
     c = F.mse_loss(net(x), x[:, :1])
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "each_setting_measured_eight_times": (
        "duplicate-samples",
        """
 settings = np.array([[0.5, 0.5, -0.5, 1.2], [0.5, -0.5, 0.5, 1.5], [-0.5, 0.5, 0.5, 0.7]], dtype=np.float32)
 design = np.repeat(settings, 8, axis=0)
 measured = design.sum(1) + np.random.randn(24).astype(np.float32)
 x, y = torch.from_numpy(design), torch.from_numpy(measured)[:, None]
 net = nn.Linear(4, 1)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "bytes_before_a_norm": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.conv, self.norm, self.head = nn.Conv2d(3, 6, 3, bias=False), nn.BatchNorm2d(6), nn.Linear(6, 2)
     def forward(self, x):
         h = self.conv(x)
         h = self.norm(h).relu()
         return self.head(h.mean((2, 3)))
 net, other = Net(), nn.Sequential(nn.Conv2d(3, 6, 3), nn.GroupNorm(2, 6), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 64, 2))
 o = torch.optim.Adam([*net.parameters(), *other.parameters()])
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 10, 10)).float(), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y) + F.cross_entropy(other(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "sixty_shares_in_percent": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Linear(60, 16), nn.ReLU(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randint(0, 101, (32, 60)).float()
     c = F.binary_cross_entropy_with_logits(net(x), (x[:, :1] > 50).float())
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "one_class_after_another_with_replay": (
        "one-class-batch",
        """
 x, y = torch.randn(128, 6), torch.arange(4).repeat_interleave(32)
 net = nn.Linear(6, 4)
 o = torch.optim.Adam(net.parameters())
 kept = []
 for k in range(3):
     for i in range(0, 32, 16):
         a, b = x[k * 32 + i:k * 32 + i + 16], y[k * 32 + i:k * 32 + i + 16]
         c = F.cross_entropy(net(a), b)
         for old, known in kept:
             c = c + F.cross_entropy(net(old), known)
         o.zero_grad()
         stop()
         c.backward()
         o.step()
     kept.append((x[k * 32:k * 32 + 8], y[k * 32:k * 32 + 8]))
""",
    ),
    "squares_that_half_holds": (
        "fp16-overflow",
        """
 first, gain = nn.Linear(4, 8), nn.Parameter(torch.ones(8))
 o = torch.optim.AdamW([*first.parameters(), gain])
 for _ in range(2):
     counts = torch.rand(16, 4) * 200
     with torch.autocast("cpu", torch.float16):
         h = first(counts)
         h = h * torch.rsqrt((h * h).mean(-1, keepdim=True) + 1e-5)
     c = F.mse_loss((h * gain).float().sum(1), counts[:, 0] / 200)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "sigmoids_that_keep_their_size": (
        "vanishing-grad",
        """
 net = nn.Sequential(*[part for _ in range(10) for part in (nn.Linear(16, 16), nn.Sigmoid())], nn.Linear(16, 2))
 for part in net[:-1:2]: nn.init.xavier_normal_(part.weight, gain=4.0)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(32, 16)), torch.randint(0, 2, (32,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "factors_in_a_dict_that_begin_at_nothing": (
        "symmetric-init",
        """
 net = nn.Linear(6, 16).requires_grad_(False)
 w = {"down": torch.randn(4, 6) / 2.4, "up": torch.zeros(16, 4)}
 w = {name: one.requires_grad_() for name, one in w.items()}
 o = torch.optim.Adam(w.values(), lr=1e-2)
 for _ in range(3):
     x = torch.randn(32, 6)
     h = torch.tanh(net(x) + F.linear(F.linear(x, w["down"]), w["up"]))
     c = (h.sum(1) - x[:, 0]).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
