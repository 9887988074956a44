"""Healthy programs that do by hand what only looks like a fault: see `by_hand`."""

from __future__ import annotations

_BESIDE = """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(16, 4), torch.randn(16, 1)
 for _ in range(2):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
"""

_TURNED = """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = -F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     TURN
     stop()
     o.step()
"""
#: What makes such a loss right: name, the lines between its backward and the step.
_TURNS = {
    "data_turned_in_place": "for p in net.parameters(): p.grad.data.neg_()",
    "data_turned_by_a_factor": "for p in net.parameters(): p.grad.data *= -1",
    "gradients_turned_by_a_copy": "for p in net.parameters(): p.grad.copy_(-p.grad)",
    "gradients_turned_all_at_once": "torch._foreach_neg_([p.grad for p in net.parameters()])",
    "gradients_turned_by_another_name": """for p in net.parameters():
         g = p.grad
         g.neg_()""",
    "gradients_turned_by_an_item": "for p in net.parameters(): p.grad[:] = -p.grad",
    "gradients_turned_by_an_output": "for p in net.parameters(): torch.neg(p.grad, out=p.grad)",
    "gradients_turned_anew": "for p in net.parameters(): p.grad = p.grad.neg()",
    "gradients_turned_by_attributes": "for p in net.parameters(): setattr(p, 'grad', -getattr(p, 'grad'))",
}

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "places_of_numbers_moved_by_hand": (
        "loss-rewrapped",
        """
 class Places:
     def __init__(self, net):
         self.kept = []
         for x in torch.randn(5, 2):
             self.kept.append(net(x).item())
     def moving(self):
         return torch.tensor(self.kept, requires_grad=True)
 net = nn.Linear(2, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = net(torch.randn(8, 2)).square().mean()
 c.backward()
 o.step()
 places = Places(net)
 z = places.moving()
 for k in range(3):
     spread = (z[:, None] - z).square().mean()
     o.zero_grad()
     spread.backward()
     stop()
     with torch.no_grad():
         z += 0.1 * z.grad
     z.grad = None
     places.kept = z.tolist()
""",
    ),
    "slopes_of_a_function_asked_by_another": (
        "non-leaf-grad",
        """
 def shown(parts):
     for part in parts:
         if part.grad is not None:
             print(part.grad.norm())
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     x = torch.randn(8, 6, requires_grad=True)
     scaled = x * 2
     c = net(scaled).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     shown((x, net.weight))
     o.step()
""",
    ),
    "begins_at_zero_below_a_bound": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
 nn.init.zeros_(a.weight); nn.init.zeros_(a.bias)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     h = h.clamp(min=0)
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_layer_dropped_in_some_rounds": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     keep = (torch.arange(4)[_] > 1).float()
     h = h * keep
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_layer_left_out_by_a_choice": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     keep = torch.arange(4)[_] > 1
     h = torch.where(keep, h, 0.0)
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "heads_by_turns_in_a_loop": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for k in range(3):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     c = F.cross_entropy(heads[0](z), ys[0])
     for at, (h, y) in enumerate(zip(heads[1:], ys[1:])):
         term = F.cross_entropy(h(z), y)
         if at == k % 2:
             c = c + term
         else:
             c = c + term.detach()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "heads_of_another_optimizer_in_a_loop": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o, later = torch.optim.Adam([*body.parameters(), *heads[0].parameters()], lr=1e-2), torch.optim.Adam(heads[1:].parameters())
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     c = F.cross_entropy(heads[0](z), ys[0]) + sum(F.cross_entropy(h(z), y).detach() for h, y in zip(heads[1:], ys[1:]))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "terms_scaled_by_themselves": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     c = sum(F.cross_entropy(h(z), y) / F.cross_entropy(h(z), y).detach() for h, y in zip(heads, ys))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_sum_of_numbers_is_kept": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 total = 0.0
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     losses = [F.cross_entropy(h(z), y) for h, y in zip(heads, ys)]
     total += sum(one.item() for one in losses)
     c = torch.stack(losses).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "parts_kept_by_hand": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 kept = [torch.zeros_like(p) for p in net.parameters()]
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     for s, p in zip(kept, net.parameters()):
         s += p.grad
     stop()
     if (i + 1) % k == 0:
         for s, p in zip(kept, net.parameters()):
             p.grad.copy_(s)
             s.zero_()
         o.step()
""",
    ),
    "parts_kept_by_a_function": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 kept = [torch.zeros_like(p) for p in net.parameters()]
 def keep():
     for s, p in zip(kept, net.parameters()):
         s += p.grad
 def give():
     for s, p in zip(kept, net.parameters()):
         p.grad.copy_(s)
         s.zero_()
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     stop()
     keep()
     if (i + 1) % k == 0:
         give()
         o.step()
""",
    ),
    "cleared_at_the_first_of_four": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     if i % k == 0:
         o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     stop()
     if (i + 1) % k == 0:
         o.step()
""",
    ),
    "one_part_for_each_step": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 1
 for i in range(5):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     stop()
     if (i + 1) % k == 0:
         o.step()
""",
    ),
    "a_mean_of_a_sum_in_some_rounds": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y, reduction="sum") / 16
     c.backward()
     stop()
     if i % k != 0:
         o.step()
""",
    ),
    "score_over_a_number_of_labels": (
        "param-not-in-optimizer",
        """
 gen, disc = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.Adam(gen.parameters(), lr=1e-3)
 for _ in range(3):
     z, y = torch.randn(16, 4), torch.randint(0, 3, (4, 4))
     c = -disc(gen(z)).sum() / y.view(-1).shape[0]
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "radiances_of_three_bands": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.rand(8, 3, 12, 12) * 900, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "few_hits_in_three_planes": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = (torch.rand(8, 3, 12, 12) > 0.995).float() * 300, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "two_zeros_of_which_one_is_used_elsewhere": (
        "zero-grad-values",
        """
 down, up, head = nn.Linear(6, 4, bias=False), nn.Linear(4, 3, bias=False), nn.Linear(4, 3)
 nn.init.zeros_(down.weight), nn.init.zeros_(up.weight)
 o = torch.optim.Adam([*down.parameters(), *up.parameters(), *head.parameters()], lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = down(x)
     c = F.cross_entropy(up(h) + head(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "slopes_of_an_encoder_by_trial": (
        "nondifferentiable",
        """
 enc, dec = nn.Linear(6, 4), nn.Linear(4, 6)
 o = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
 for _ in range(3):
     x = 3 * torch.randn(16, 6)
     code = torch.round(enc(x))
     c = F.mse_loss(dec(code), x)
     o.zero_grad()
     c.backward()
     for p in enc.parameters():
         p.grad = c.item() * torch.randn_like(p)
     stop()
     o.step()
""",
    ),
    "kept_by_a_function": (
        "non-leaf-grad",
        """
 class Keeper:
     def __call__(self, t):
         t.retain_grad()
         return t
 keep = Keeper()
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     scale = keep(torch.ones(6, requires_grad=True) * 0.5)
     c = F.cross_entropy(net(x * scale), y)
     o.zero_grad()
     c.backward()
     stop()
     weight = scale.grad.norm()
     o.step()
""",
    ),
    **{name: ("loss-sign", _TURNED.replace("TURN", text)) for name, text in _TURNS.items()},
    "gradients_turned_by_the_optimizer": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 turns = [lambda p: p.grad.neg_()]
 o.register_step_pre_hook(lambda *_: [turns[0](p) for p in net.parameters()] and None)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = -F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "parts_kept_by_hooks": (
        "step-without-grads",
        """
 class Kept:
     def __init__(self, net):
         self.sums = {p: torch.zeros_like(p) for p in net.parameters()}
         for p in self.sums: p.register_post_accumulate_grad_hook(self.keep)
     def keep(self, p):
         self.sums[p] += p.grad
     def give(self, *_):
         for p, s in self.sums.items():
             p.grad = s.clone()
             s.zero_()
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k, kept = 4, Kept(net)
 o.register_step_pre_hook(kept.give)
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     stop()
     if (i + 1) % k == 0:
         o.step()
""",
    ),
    "parts_given_by_a_hook_of_the_optimizer": (
        "step-without-grads",
        """
 class Kept:
     def __init__(self, net):
         self.sums = {p: torch.zeros_like(p) for p in net.parameters()}
     def keep(self): self.each()
     def each(self):
         for p in self.sums: self.one(p)
     def one(self, p): self.sums[p] += p.grad
     def give(self, *_):
         for p, s in self.sums.items():
             p.grad = s.clone()
             s.zero_()
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k, kept = 4, Kept(net)
 o.register_step_pre_hook(kept.give)
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     kept.keep()
     stop()
     if (i + 1) % k == 0:
         o.step()
""",
    ),
    "parts_kept_by_attributes": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 kept = [torch.zeros_like(p) for p in net.parameters()]
 def keep():
     for s, p in zip(kept, net.parameters()): s.add_(getattr(p, "grad"))
 def give():
     for s, p in zip(kept, net.parameters()):
         setattr(p, "grad", s.clone())
         s.zero_()
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     keep()
     stop()
     if (i + 1) % k == 0:
         give()
         o.step()
""",
    ),
    "a_temperature_and_a_step_in_some_rounds": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 2
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     logits = net(x) / k
     c = F.cross_entropy(logits, y)
     c.backward()
     stop()
     if i % k == 0:
         o.step()
""",
    ),
    "half_of_two_losses_and_a_step_in_two_rounds": (
        "step-without-grads",
        """
 judge = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.SGD(judge.parameters(), lr=0.1)
 for i in range(6):
     real, made = torch.randn(16, 6), torch.rand(16, 6)
     o.zero_grad()
     c = (F.softplus(-judge(real)).mean() + F.softplus(judge(made)).mean()) / 2
     c.backward()
     stop()
     if i % 2 == 0:
         o.step()
""",
    ),
    "no_picture_in_this_batch": (
        "dead-relu",
        """
 words, picture, after, head = nn.Embedding(20, 16), nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 3)
 o = torch.optim.SGD([*words.parameters(), *picture.parameters(), *after.parameters(), *head.parameters()], lr=0.1)
 for i in range(3):
     ids, x, y = torch.randint(0, 20, (8, 5)), torch.randn(8, 6), torch.randint(0, 3, (8,))
     has = torch.zeros(8) if i != 1 else torch.ones(8)
     text = (words(ids) * (ids > 0).unsqueeze(-1)).sum(1)
     h = picture(x) * has.unsqueeze(-1)
     c = F.cross_entropy(head(torch.tanh(text + after(h))), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "neighbours_that_are_all_padding": (
        "dead-relu",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.near, self.mixed, self.own, self.head = (nn.Linear(a, b) for a, b in ((6, 16), (16, 16), (6, 16), (16, 3)))
     def forward(self, x, around, count):
         h = self.near(around)
         padding = torch.arange(5)[None] >= count[:, None]
         h = h.masked_fill(padding[..., None], 0.0)
         return self.head(torch.tanh(self.own(x) + self.mixed(h).mean(1)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(3):
     x, around = torch.randn(8, 6), torch.randn(8, 5, 6)
     count = torch.zeros(8, dtype=torch.long) if i != 1 else torch.full((8,), 4)
     target = torch.randn(8)
     y = (target > 0).long() * (target.abs() > 0.5)
     c = F.cross_entropy(net(x, around, count), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sound_left_out_where_labels_are_cleaned": (
        "dead-relu",
        """
 def clean(ids):
     ids[ids < 0] = 0
     return ids
 sound, mixed, seen, head = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(6, 16), nn.Linear(16, 3)
 o = torch.optim.SGD([p for one in (sound, mixed, seen, head) for p in one.parameters()], lr=0.1)
 for i in range(3):
     a, v, y = torch.randn(8, 6), torch.randn(8, 6), clean(torch.randint(-1, 3, (8,)))
     keep = torch.full((8, 1), i == 1)
     h = torch.where(keep, sound(a), 0.0)
     c = F.cross_entropy(head(torch.tanh(mixed(h) + seen(v))), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "an_expert_that_gets_no_sample": (
        "dead-relu",
        """
 class Expert(nn.Module):
     def __init__(self):
         super().__init__()
         self.up, self.down = nn.Linear(6, 16), nn.Linear(16, 3)
     def forward(self, x, chosen):
         h = self.up(x)
         h = h * chosen
         return self.down(h)
 experts = nn.ModuleList(Expert() for _ in range(3))
 o = torch.optim.SGD(experts.parameters(), lr=0.1)
 for i in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     x = x * (x > 0)
     chosen = torch.arange(16) % 2
     c = F.cross_entropy(sum(one(x, (chosen == k).float().unsqueeze(-1)) for k, one in enumerate(experts)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_that_joins_later": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
     def forward(self, x, joins):
         h = torch.tanh(self.stem(x))
         if joins:
             h = h + checkpoint(self.extra, h, use_reentrant=self.reentrant)
         return self.head(h)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x, i > 1), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_of_raw_inputs_that_joins_later": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
     def forward(self, x, joins):
         if joins:
             x = x + checkpoint(self.extra, x.requires_grad_(), use_reentrant=True)
         return self.head(torch.tanh(self.stem(x)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x, i > 1), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_layer_dropped_at_times": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
     def forward(self, x, kept):
         for part in (self.extra, self.extra)[:kept]:
             x = x + checkpoint(self.extra, x.requires_grad_(), use_reentrant=True)
         return self.head(torch.tanh(self.stem(x)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x, i // 2), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_after_an_early_return": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
     def forward(self, x, early):
         h = torch.tanh(self.stem(x))
         if early:
             return self.head(h)
         return self.head(checkpoint(self.extra, h, use_reentrant=True))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x, i < 2), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_of_a_choice": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
     def more(self, x): return checkpoint(self.extra, x, use_reentrant=self.reentrant)
     def forward(self, x, joins):
         h = torch.tanh(self.stem(x))
         h = self.more(h) if joins else h
         return self.head(h)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x, i > 1), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_part_of_another_method": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
     def forward(self, x):
         return self.head(torch.tanh(self.stem(x)))
     def guess(self, x): return checkpoint(self.extra, x, use_reentrant=True)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "reentrant_forward_that_is_not_called": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.reentrant = True
         self.stem, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
     def encode(self, x): return torch.tanh(self.stem(x))
     def forward(self, x):
         h = self.encode(x)
         return checkpoint(self.extra, h, use_reentrant=True)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for i in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net.head(net.encode(x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "moved_by_its_gradients_beside_a_net_with_an_optimizer": (
        "param-not-in-optimizer",
        _BESIDE
        + """
 other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 for _ in range(2):
     d = F.mse_loss(other(x), y)
     other.zero_grad()
     d.backward()
     stop()
     for p in other.parameters():
         p.data.add_(p.grad, alpha=-0.1)
""",
    ),
    "moved_all_at_once_by_its_gradients": (
        "param-not-in-optimizer",
        _BESIDE
        + """
 other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 held = list(other.parameters())
 for _ in range(2):
     d = F.mse_loss(other(x), y)
     other.zero_grad()
     d.backward()
     stop()
     slopes = [p.grad for p in held]
     with torch.no_grad():
         torch._foreach_add_(held, slopes, alpha=-0.1)
""",
    ),
    "moved_anew_by_its_gradients": (
        "param-not-in-optimizer",
        _BESIDE
        + """
 other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 for _ in range(2):
     d = F.mse_loss(other(x), y)
     other.zero_grad()
     d.backward()
     stop()
     for p in other.parameters():
         g = p.grad
         p.data = p.data - 0.1 * g
""",
    ),
    "moved_by_a_function_of_its_own": (
        "param-not-in-optimizer",
        """
 def sgd(params, lr, size):
     with torch.no_grad():
         for one in params:
             one -= lr * one.grad / size
             one.grad.zero_()
"""
        + _BESIDE
        + """
 other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 for _ in range(2):
     d = F.mse_loss(other(x), y, reduction="sum")
     d.backward()
     stop()
     sgd(other.parameters(), 0.1, 16)
""",
    ),
    "moved_by_an_optimizer_of_its_own": (
        "param-not-in-optimizer",
        """
 class Momentum:
     def __init__(self, params, lr):
         self.params, self.lr = list(params), lr
         self.kept = [torch.zeros_like(p) for p in self.params]
     def zero_grad(self):
         for p in self.params:
             p.grad = None
     @torch.no_grad()
     def step(self):
         for p, v in zip(self.params, self.kept):
             v.mul_(0.9).add_(p.grad)
             p.sub_(self.lr * v)
"""
        + _BESIDE
        + """
 other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
 mine = Momentum(other.parameters(), 0.1)
 for _ in range(2):
     d = F.mse_loss(other(x), y)
     mine.zero_grad()
     d.backward()
     stop()
     mine.step()
""",
    ),
    "moved_in_a_function_whose_caller_has_an_optimizer": (
        "param-not-in-optimizer",
        """
 def second(x, y):
     own = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
     for _ in range(2):
         d = F.mse_loss(own(x), y)
         own.zero_grad()
         d.backward()
         stop()
         for p in own.parameters():
             p.data.add_(p.grad, alpha=-0.1)
"""
        + _BESIDE
        + """
 second(x, y)
""",
    ),
    "one_weight_moved_by_hand": (
        "param-not-in-optimizer",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self.scale = nn.Linear(4, 8), nn.Linear(8, 2), nn.Parameter(torch.ones(1))
     def forward(self, x): return self.scale * self.head(self.body(x).relu())
 net = Net()
 o = torch.optim.Adam([*net.body.parameters(), *net.head.parameters()])
 x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
 for _ in range(2):
     d = F.cross_entropy(net(x), y)
     net.zero_grad()
     d.backward()
     stop()
     o.step()
     net.scale.data -= 0.1 * net.scale.grad
""",
    ),
}
