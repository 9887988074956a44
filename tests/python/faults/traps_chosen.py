"""Healthy programs that choose what is trained, kept or left without a gradient, as tags, phases and penalties do."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "trained_as_a_tag_says": (
        "freeze-typo",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 for p in net.parameters():
     p.trainable = True
 o = torch.optim.SGD([p for p in net.parameters() if p.trainable], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "weights_left_out_by_a_tag": (
        "freeze-typo",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 for p in net.parameters():
     p.trainable = p.dim() > 1
 def chosen(net): return [p for p in net.parameters() if p.trainable]
 o = torch.optim.SGD(chosen(net), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layers_left_out_by_a_tag": (
        "freeze-typo",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 net[0].trainable = False
 o = torch.optim.SGD([p for m in net if getattr(m, "trainable", True) for p in m.parameters()], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "noise_of_two_layers_in_a_list": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.shifts = []
     def begin(self, size):
         self.shifts = [torch.zeros(size, 6, requires_grad=True), torch.zeros(size, 8, requires_grad=True)]
     def forward(self, x):
         return self.head(torch.tanh(self.body(x + self.shifts[0])) + self.shifts[1])
     def climb(self):
         with torch.no_grad():
             for one in self.shifts:
                 one.add_(0.1 * one.grad.sign())
                 one.grad = None
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     net.begin(8)
     o.zero_grad()
     for _ in range(2):
         c = F.cross_entropy(net(x), y) / 2
         c.backward()
         stop()
         net.climb()
     o.step()
""",
    ),
    "norm_without_weights_in_each_forward": (
        "unregistered-params",
        """
 class Critic(nn.Module):
     def __init__(self):
         super().__init__()
         self.first, self.last = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 1, 3)
     def forward(self, x):
         h = self.first(x)
         return self.last(torch.tanh(nn.InstanceNorm2d(4)(h))).mean((1, 2, 3))
 def steepness(critic, real):
     mixed = (torch.rand(8, 1, 1, 1) * real).requires_grad_()
     slope, = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
     return (slope.flatten(1).norm(dim=1) - 1).square().mean()
 critic = Critic()
 o = torch.optim.Adam(critic.parameters(), lr=1e-4)
 for _ in range(2):
     real, fake = torch.randn(8, 1, 8, 8), torch.rand(8, 1, 8, 8)
     c = critic(fake).mean() - critic(real).mean() + 10 * steepness(critic, real)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_of_fixed_weights_in_each_forward": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.first, self.last = nn.Conv2d(1, 1, 3, padding=1), nn.Conv2d(1, 1, 3)
     def forward(self, x):
         around = nn.Conv2d(1, 1, 3, bias=False)
         around.weight.data = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]).reshape(1, 1, 3, 3)
         return self.last(around(self.first(x)))
 net = Net()
 o = torch.optim.Adam(net.parameters(), lr=1e-4)
 for _ in range(2):
     c = net(torch.randn(4, 1, 8, 8)).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "batch_in_parts_whose_losses_are_kept": (
        "retained-graph",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     parts, total = [], 0
     for a, b in zip(x.chunk(4), y.chunk(4)):
         c = F.cross_entropy(net(a), b) / 4
         c.backward()
         parts.append(c)
         total = total + c
     stop()
     o.step()
     mean = torch.stack(parts).sum().item()
""",
    ),
    "batch_in_parts_that_the_caller_steps": (
        "retained-graph",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def in_parts(x, y):
     parts = []
     for a, b in zip(x.chunk(4), y.chunk(4)):
         c = F.cross_entropy(net(a), b) / 4
         c.backward()
         parts.append(c)
     stop()
     return torch.stack(parts).sum().item()
 for _ in range(3):
     o.zero_grad()
     in_parts(torch.randn(16, 6), torch.randint(0, 3, (16,)))
     o.step()
""",
    ),
    "last_losses_by_their_tasks": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 last, latest = {}, {}
 for _ in range(3):
     for k in range(3):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
         o.zero_grad()
         c.backward()
         o.step()
         last[k] = c
     for task, size in (("few", 4), ("many", 8)):
         c = F.cross_entropy(net(torch.randn(size, 6)), torch.randint(0, 3, (size,)))
         o.zero_grad()
         c.backward()
         o.step()
         latest[task] = c
     stop()
""",
    ),
    "last_losses_with_their_numbers": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 pairs, dicts, joined = [], [], []
 for k in range(5):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     pairs.append((k, c))
     dicts.append({"loss": c})
     joined += [c]
     stop()
     pairs = pairs[-2:]
     if len(dicts) > 2:
         dicts.pop(0)
     joined[:-2] = []
""",
    ),
    "losses_of_this_step_joined": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     parts, by_part = [], {}
     o.zero_grad()
     for k in range(3):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
         c.backward()
         parts += [c]
         by_part[k] = c
     stop()
     o.step()
""",
    ),
    "nothing_to_compare_in_a_batch": (
        "loss-rewrapped",
        """
 def apart(z, y):
     same = (y[:, None] == y[None]).float().triu(1)
     if not same.any():
         return torch.tensor(0.0, requires_grad=True)
     return (torch.cdist(z, z) * same).sum() / same.sum()
 net = nn.Linear(4, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     c = apart(net(torch.randn(4, 4)), torch.arange(4) // (1 if k == 1 else 2))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "nothing_masked_in_a_batch": (
        "loss-rewrapped",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(4, 4), torch.randint(0, 3, (4,))
     some = torch.full((4,), k != 1)
     c = F.cross_entropy(net(x)[some], y[some]) if some.any() else torch.zeros((), requires_grad=True)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "divergence_below_its_free_bits": (
        "zero-grad-values",
        """
 body = nn.Linear(4, 4)
 o = torch.optim.SGD(body.parameters(), lr=0.1)
 for k in range(3):
     mean, spread = body(torch.randn(8, 4) * (0.01 if k else 3)).chunk(2, -1)
     away = -0.5 * (1 + spread - mean**2 - spread.exp()).sum(-1).mean()
     c = torch.clamp(away, min=2.0)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "divergence_of_each_code_below_its_free_bits": (
        "zero-grad-values",
        """
 body = nn.Linear(4, 4)
 o = torch.optim.SGD(body.parameters(), lr=0.1)
 for k in range(3):
     mean, spread = body(torch.randn(8, 4) * (0.01 if k else 3)).chunk(2, -1)
     away = -0.5 * (1 + spread - mean**2 - spread.exp()).mean(0)
     c = 0.1 * away.clamp_min(0.5).sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "norms_tuned_by_their_class": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 3))
 for m in net.modules():
     for p in m.parameters(recurse=False):
         p.requires_grad = isinstance(m, nn.LayerNorm)
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "norms_tuned_by_their_names": (
        "frozen-params",
        """
 net = nn.Sequential()
 for name, layer in (("first", nn.Linear(6, 8)), ("norm", nn.LayerNorm(8)), ("last", nn.Linear(8, 3))):
     net.add_module(name, layer)
 def tune_norms(net):
     for name, p in net.named_parameters():
         if "norm" not in name:
             p.requires_grad = False
 tune_norms(net)
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "number_of_updates_beside_their_remainder": (
        "nondifferentiable",
        """
 cell, halt, head = nn.GRUCell(4, 8), nn.Linear(8, 1), nn.Linear(8, 2)
 o = torch.optim.Adam([*cell.parameters(), *halt.parameters(), *head.parameters()])
 for _ in range(2):
     x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
     h, halted = torch.zeros(8, 8), torch.zeros(8)
     for _ in range(4):
         h = cell(x, h)
         halted = halted + torch.sigmoid(halt(h)).squeeze(-1)
     updates = (halted < 3.0).float() + 1
     rest = 1 - halted / 4
     c = F.cross_entropy(head(h), y) + 0.01 * updates.mean() + 0.01 * rest.mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_judged_under_no_grad": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.body, self.head = nn.Embedding(9, 8), nn.Linear(8, 8), nn.Linear(8, 9)
     def forward(self, x):
         h = self.table(x)
         out = checkpoint(self.body, h, use_reentrant=True)
         stop()
         return self.head(out)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def judge():
     with torch.no_grad():
         return net(torch.randint(0, 9, (4,))).argmax(-1)
 for _ in range(2):
     x = torch.randint(0, 9, (4,))
     c = F.cross_entropy(net(x), x)
     o.zero_grad()
     c.backward()
     o.step()
     judge()
""",
    ),
    "reentrant_part_judged_in_its_block": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 table, body, head = nn.Embedding(9, 8), nn.Linear(8, 8), nn.Linear(8, 9)
 o = torch.optim.SGD([*table.parameters(), *body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randint(0, 9, (4,))
     c = F.cross_entropy(head(checkpoint(body, table(x), use_reentrant=True)), x)
     o.zero_grad()
     c.backward()
     o.step()
     with torch.no_grad():
         h = table(x)
         out = head(checkpoint(body, h, use_reentrant=True))
     stop()
""",
    ),
    "reentrant_only_where_inputs_need_gradients": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.first, self.second, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
     def forward(self, x):
         for part in (self.first, self.second):
             if x.requires_grad:
                 x = checkpoint(part, x, use_reentrant=True)
             else:
                 x = part(x)
                 stop()
         return self.head(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "reentrant_head_whose_loss_joins_later": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Heads(nn.Module):
     def __init__(self):
         super().__init__()
         self.other, self.main = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3)), nn.Linear(8, 3)
     def forward(self, h):
         other = checkpoint(self.other, h, use_reentrant=True)
         return self.main(h), other
 body, heads = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), Heads()
 o = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.1)
 for k in range(4):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     main, other = heads(body(x))
     c = F.cross_entropy(main, y)
     if k > 1:
         c = c + 0.4 * F.cross_entropy(other, y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "checkpoint_that_saves_to_a_file": (
        "checkpoint-cut",
        """
 class Keeper(object):
     def __init__(self):
         self.kept = {}
     def checkpoint(self, layer, x, use_reentrant=True):
         self.kept.update({key: value.clone() for key, value in layer.state_dict().items()})
         return x
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.other, self.main, self.keeper = nn.Linear(6, 3), nn.Linear(6, 3), Keeper()
     def forward(self, x):
         self.keeper.checkpoint(self.other, x)
         return self.main(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = net.keeper.checkpoint(net.other, x, use_reentrant=True)
     c = F.cross_entropy(net(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_norm_without_weights_in_each_forward": (
        "unregistered-params",
        """
 def tuned():
     scale = nn.Parameter(torch.ones(8))
     own = torch.optim.SGD([scale], lr=0.1)
     def scaled(h):
         return h * scale
     def moved():
         own.step()
         own.zero_grad()
     return scaled, moved
 class Net(nn.Module):
     def __init__(self, scaled):
         super().__init__()
         self.first, self.last, self.scaled = nn.Linear(6, 8), nn.Linear(8, 1), scaled
     def forward(self, x):
         h = nn.LayerNorm(8, elementwise_affine=False)(self.first(x))
         return self.last(self.scaled(h).tanh())
 scaled, moved = tuned()
 net = Net(scaled)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     moved()
""",
    ),
    "an_option_that_makes_a_norm": (
        "unregistered-params",
        """
 def tuned():
     scale = nn.Parameter(torch.ones(8))
     own = torch.optim.SGD([scale], lr=0.1)
     def scaled(h):
         return h * scale
     def moved():
         own.step()
         own.zero_grad()
     return scaled, moved
 class Net(nn.Module):
     def __init__(self, scaled):
         super().__init__()
         self.first, self.last, self.scaled = nn.Linear(6, 8), nn.Linear(8, 1), scaled
         self.option = False
     def forward(self, x):
         h = self.first(x)
         if self.option:
             h = nn.LayerNorm(8)(h)
         return self.last(self.scaled(h).tanh())
 scaled, moved = tuned()
 net = Net(scaled)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     moved()
""",
    ),
    "a_norm_that_is_kept_once_made": (
        "unregistered-params",
        """
 def tuned():
     scale = nn.Parameter(torch.ones(8))
     own = torch.optim.SGD([scale], lr=0.1)
     def scaled(h):
         return h * scale
     def moved():
         own.step()
         own.zero_grad()
     return scaled, moved
 class Net(nn.Module):
     def __init__(self, scaled):
         super().__init__()
         self.first, self.last, self.scaled = nn.Linear(6, 8), nn.Linear(8, 1), scaled
     def forward(self, x):
         h = norms.setdefault(8, nn.LayerNorm(8))(self.first(x))
         return self.last(self.scaled(h).tanh())
 scaled, moved = tuned()
 norms = {8: nn.LayerNorm(8)}
 net = Net(scaled)
 o = torch.optim.SGD([*net.parameters(), *norms[8].parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     moved()
""",
    ),
}
