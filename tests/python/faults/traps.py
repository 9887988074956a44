"""Healthy programs: each looks as if it had the fault of a rule; `never.py` says why it has not."""

from __future__ import annotations

from . import (
    ahead,
    behind,
    beneath,
    call,
    everyday,
    forms,
    helpers,
    hidden,
    modes,
    numbers_kept,
    practice,
    rounds,
    stepping,
    traps_by_hand,
    traps_chosen,
    traps_cut,
    traps_data,
    traps_disguised,
    traps_graph,
    traps_loss,
    traps_model,
    traps_numbers,
    traps_optimizer,
    traps_practice,
    traps_purpose,
    traps_special,
    traps_values,
)

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    **numbers_kept.TRAPS,
    **hidden.TRAPS,
    **helpers.TRAPS,
    **modes.TRAPS,
    **traps_graph.TRAPS,
    **traps_optimizer.TRAPS,
    **traps_loss.TRAPS,
    **traps_numbers.TRAPS,
    **traps_model.TRAPS,
    **traps_data.TRAPS,
    **ahead.TRAPS,
    **call.TRAPS,
    **practice.TRAPS,
    **beneath.TRAPS,
    **behind.TRAPS,
    **forms.TRAPS,
    **traps_practice.TRAPS,
    **traps_purpose.TRAPS,
    **traps_disguised.TRAPS,
    **traps_values.TRAPS,
    **traps_by_hand.TRAPS,
    **traps_chosen.TRAPS,
    **stepping.TRAPS,
    **traps_cut.TRAPS,
    **traps_special.TRAPS,
    "gradient_reversal": (
        "loss-sign",
        """
 class Reverse(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x): return x.view_as(x)
     @staticmethod
     def backward(ctx, g): return -g
 body, head, critic = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
 o = torch.optim.SGD([*body.parameters(), *head.parameters(), *critic.parameters()], lr=0.1)
 for _ in range(2):
     x, y, d = torch.randn(8, 6), torch.randint(0, 2, (8,)), torch.randint(0, 2, (8,))
     h = body(x).relu()
     c = F.cross_entropy(head(h), y) + F.cross_entropy(critic(Reverse.apply(h)), d)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "critic_without_sigmoid": (
        "loss-sign",
        """
 g, d = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
 og, od = torch.optim.RMSprop(g.parameters(), 5e-5), torch.optim.RMSprop(d.parameters(), 5e-5)
 for k in range(3):
     real, z = torch.randn(8, 6), torch.randn(8, 4)
     ld = d(g(z).detach()).mean() - d(real).mean()
     od.zero_grad()
     ld.backward()
     od.step()
     for p in d.parameters(): p.data.clamp_(-0.01, 0.01)
     if k % 2 == 0:
         lg = -d(g(z)).mean()
         og.zero_grad()
         lg.backward()
         stop()
         og.step()
""",
    ),
    "cell_whose_state_is_detached": (
        "retained-graph",
        """
 cell, head = nn.GRUCell(4, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for _ in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     h = h.detach()
     h = cell(x, h)
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "episode_of_losses": (
        "retained-graph",
        """
 policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
 o = torch.optim.Adam(policy.parameters())
 for episode in range(2):
     kept, rewards = [], []
     for t in range(5):
         dist = torch.distributions.Categorical(logits=policy(torch.randn(4)))
         a = dist.sample()
         kept.append(dist.log_prob(a))
         rewards.append(float(a))
         stop()
     r = torch.tensor(rewards)
     c = -(torch.stack(kept) * (r - r.mean())).sum()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "actor_and_critic": (
        "graph-cut",
        """
 class Both(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.pi, self.v = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
     def forward(self, s):
         h = torch.tanh(self.body(s))
         return self.pi(h), self.v(h).squeeze(-1)
 net = Both()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     s, a, ret = torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randn(8)
     scores, value = net(s)
     dist = torch.distributions.Categorical(logits=scores)
     adv = (ret - value).detach()
     policy_loss = -(dist.log_prob(a) * adv).mean()
     value_loss = F.mse_loss(value, ret)
     c = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
     o.zero_grad()
     c.backward()
     stop()
     nn.utils.clip_grad_norm_(net.parameters(), 0.5)
     o.step()
""",
    ),
    "clipped_policy": (
        "zero-grad-values",
        """
 pi = nn.Linear(4, 2)
 o = torch.optim.Adam(pi.parameters(), lr=0.5)
 s, a, adv = torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.ones(16)
 with torch.no_grad():
     old = pi(s).log_softmax(-1).gather(1, a[:, None]).squeeze(1)
 for _ in range(4):
     new = pi(s).log_softmax(-1).gather(1, a[:, None]).squeeze(1)
     ratio = (new - old).exp()
     c = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "satisfied_margin": (
        "zero-grad-values",
        """
 net = nn.Linear(4, 1)
 net.weight.data.fill_(10.0)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.rand(8, 4) + 1
 c = (1 - net(x)).clamp(min=0).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "layers_dropped_at_random": (
        "missing-grad",
        """
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.parts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
         self.last = nn.Linear(8, 2)
         self.mask_token = nn.Parameter(torch.zeros(8))
     def forward(self, x, mask=None):
         if mask is not None:
             x = torch.where(mask, self.mask_token, x)
         for part in self.parts:
             if self.training and torch.rand(()) < 0.5:
                 continue
             x = x + torch.relu(part(x))
         return self.last(x)
 net = Deep()
 o = torch.optim.AdamW(net.parameters())
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 8)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "codes_by_average": (
        "missing-grad",
        """
 class Codes(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 4), nn.Linear(4, 6)
         self.book = nn.Embedding(16, 4)
     def forward(self, x):
         z = self.a(x)
         with torch.no_grad():
             near = torch.cdist(z, self.book.weight).argmin(1)
         q = self.book(near)
         extra = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
         return self.b(z + (q - z).detach()), extra
 net = Codes()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     out, extra = net(x)
     c = F.mse_loss(out, x) + extra
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_net_for_two": (
        "aliased-models",
        """
 class Pair(nn.Module):
     def __init__(self):
         super().__init__()
         self.left = nn.Linear(6, 4)
         self.right = self.left
     def forward(self, a, b):
         return F.cosine_similarity(self.left(a), self.right(b))
 net = Pair()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 left, right = net.left, net.right
 c = (1 - net(torch.randn(8, 6), torch.randn(8, 6))).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "raw_model_beside_wrapped": (
        "aliased-models",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 wrapped = False
 raw = net if not wrapped else net.module
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     with torch.no_grad():
         score = (raw(x).argmax(1) == y).float().mean()
""",
    ),
    "pairs_with_both_gradients": (
        "target-requires-grad",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 one, two = net(x + 0.1 * torch.randn_like(x)), net(x + 0.1 * torch.randn_like(x))
 c = F.mse_loss(one, two) + (1 - one.std(0)).relu().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pairwise_written_out": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def margin(q, y):
     s = q.unsqueeze(1) - q.unsqueeze(0)
     t = torch.sign(y.unsqueeze(1) - y.unsqueeze(0))
     return F.relu(0.1 - s * t).mean()
 x, y = torch.randn(8, 6), torch.randn(8)
 q = net(x).squeeze(1)
 c = margin(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attention_over_a_bag": (
        "softmax-wrong-dim",
        """
 score, value, head = nn.Linear(6, 1), nn.Linear(6, 8), nn.Linear(8, 2)
 o = torch.optim.SGD([*score.parameters(), *value.parameters(), *head.parameters()], lr=0.1)
 bag, y = torch.randn(12, 6), torch.tensor([1])
 w = score(bag).softmax(0)
 q = head((w * value(bag)).sum(0, keepdim=True))
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "agrees_with_itself_beside_a_loss": (
        "target-requires-grad",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q, target = net(x), net(x + 0.1 * torch.randn_like(x))
     c = F.cross_entropy(q, y) + F.mse_loss(q, target)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "tokens_shared_among_slots": (
        "softmax-wrong-dim",
        """
 keys, value, head = nn.Linear(6, 4), nn.Linear(6, 8), nn.Linear(8, 2)
 o = torch.optim.SGD([*keys.parameters(), *value.parameters(), *head.parameters()], lr=0.1)
 tokens, y = torch.randn(12, 6), torch.randint(0, 2, (4,))
 share = keys(tokens).softmax(0)
 kept = torch.ones(12, 4)
 load = (share * kept).sum(1)
 c = F.cross_entropy(head(share.t() @ value(tokens)), y) + 0.1 * load.var()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "differences_of_all_pairs": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randn(8)
 for _ in range(2):
     gaps = net(x) - net(x).squeeze(1)
     wanted = y.unsqueeze(1) - y
     c = (gaps - wanted).pow(2).mean() + (net(x)[:, 0] - y).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_by_a_method_that_begins_a_round": (
        "step-without-grads",
        """
 class Trainer:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def begin(self): self.o.zero_grad()
     def finish(self):
         self.o.step()
         self.o.zero_grad()
     def fit(self):
         for k in range(3):
             self.begin()
             c = F.cross_entropy(self.net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
             c.backward()
             stop()
             self.finish()
 Trainer().fit()
""",
    ),
    "masked_missing_values": (
        "nan-in-input",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 u, v = torch.randn(8, 6), torch.randn(8, 1)
 u[2, 3] = float("nan")
 known = ~u.isnan()
 filled = torch.where(known, u, torch.zeros_like(u))
 c = F.mse_loss(net(filled), v)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "missing_targets": (
        "nan-in-input",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 u, v = torch.randn(8, 6), torch.randn(8, 3)
 v[2, 1] = float("nan")
 q = net(u)
 c = F.mse_loss(q[~v.isnan()], v[~v.isnan()])
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "statistics_renewed": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = [torch.randn(8, 6) for _ in range(3)]
 def renew():
     net.train()
     with torch.no_grad():
         for x in data:
             net(x)
             stop()
 c = F.cross_entropy(net(data[0]), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 o.step()
 renew()
""",
    ),
    "frozen_norms": (
        "eval-during-training",
        """
 class Tuned(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU())
         self.head = nn.Linear(8, 2)
         self.body.requires_grad_(False)
     def train(self, mode=True):
         super().train(mode)
         self.body.eval()
         return self
     def forward(self, x): return self.head(self.body(x))
 net = Tuned().train()
 o = torch.optim.SGD(net.head.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "warm_up_from_nothing": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda i: min(1.0, i / 10))
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "overfitting_one_batch": (
        "duplicate-samples",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 one = torch.randn(4, 6)
 u = one.repeat(4, 1)
 v = u.sum(1, keepdim=True)
 for _ in range(2):
     c = F.mse_loss(net(u), v)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "queries_of_zeros": (
        "constant-input",
        """
 class Decoder(nn.Module):
     def __init__(self):
         super().__init__()
         self.where = nn.Embedding(16, 8)
         self.layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
         self.last = nn.Linear(8, 2)
     def forward(self, memory):
         goal = torch.zeros(len(memory), 16, 8)
         stop()
         found = self.layer(goal, memory + self.where.weight[:5])
         return self.last(found)
 net = Decoder()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 q = net(torch.randn(4, 5, 8))
 c = q.square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "windows_of_a_series": (
        "split-overlap",
        """
 cell, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 3)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 series = torch.randn(40, 3)
 for _ in range(2):
     past, future = series[:-1], series[1:]
     h, _ = cell(past[None])
     c = F.mse_loss(head(h)[0], future)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     h, _ = cell(series[None])
     nxt = head(h)
""",
    ),
    "all_rows_scored": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows, goals = torch.randn(100, 6), torch.randn(100, 1)
 for k in range(0, 100, 50):
     part = rows[k:k + 50]
     c = F.mse_loss(net(part), goals[k:k + 50])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     fitted = net(rows)
""",
    ),
    "rates_by_hand": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(8):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,))) / 4
     c.backward()
     stop()
     if k % 4 == 3:
         o.step()
         o.zero_grad()
""",
    ),
    "bottleneck_without_activation": (
        "no-nonlinearity",
        """
 class Low(nn.Module):
     def __init__(self):
         super().__init__()
         self.down, self.up, self.last = nn.Linear(32, 4), nn.Linear(4, 32), nn.Linear(32, 2)
     def forward(self, x): return self.last(self.up(self.down(x)).relu())
 net = Low()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 32)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "two_optimizers_in_turn": (
        "param-not-in-optimizer",
        """
 class Engine:
     def __init__(self):
         self.g, self.d = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
         self.og, self.od = torch.optim.Adam(self.g.parameters()), torch.optim.Adam(self.d.parameters())
     def turn_of_d(self, real, z):
         with torch.no_grad():
             fake = self.g(z)
         c = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake)).mean()
         self.od.zero_grad()
         c.backward()
         stop()
         self.od.step()
     def turn_of_g(self, z):
         c = F.softplus(-self.d(self.g(z))).mean()
         self.og.zero_grad()
         c.backward()
         stop()
         self.og.step()
 e = Engine()
 for _ in range(2):
     e.turn_of_d(torch.randn(8, 6), torch.randn(8, 4))
     e.turn_of_g(torch.randn(8, 4))
""",
    ),
    "gradient_penalty": (
        "graph-freed",
        """
 d = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
 o = torch.optim.Adam(d.parameters())
 for _ in range(2):
     real, fake = torch.randn(8, 6), torch.randn(8, 6)
     t = torch.rand(8, 1)
     mid = (t * real + (1 - t) * fake).requires_grad_()
     out = d(mid)
     g, = torch.autograd.grad(out.sum(), mid, create_graph=True)
     c = d(fake).mean() - d(real).mean() + 10 * (g.norm(2, dim=1) - 1).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "adapted_weights": (
        "non-leaf-grad",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randn(8, 1)
 w, b = net.weight, net.bias
 inner = F.mse_loss(F.linear(x, w, b), y)
 gw, gb = torch.autograd.grad(inner, [w, b], create_graph=True)
 fw, fb = w - 0.1 * gw, b - 0.1 * gb
 outer = F.mse_loss(F.linear(x, fw, fb), y)
 o.zero_grad()
 outer.backward()
 stop()
 o.step()
""",
    ),
    "optimized_input": (
        "eval-during-training",
        """
 class Attack:
     def __init__(self, net):
         self.net = net
         self.delta = torch.zeros(8, 6, requires_grad=True)
         self.o = torch.optim.Adam([self.delta], lr=0.1)
     def turn(self, x, y):
         c = -F.cross_entropy(self.net(x + self.delta), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 a = Attack(nn.Sequential(nn.Linear(6, 8), nn.Dropout(), nn.Linear(8, 2)).eval().requires_grad_(False))
 for _ in range(2):
     a.turn(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "counts_and_categories": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 u = torch.randn(32, 8)
 u[:, 3:] = F.one_hot(torch.randint(0, 3, (32,)), 5).float()
 c = F.mse_loss(net(u), torch.randn(32, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "smoothed_rounding": (
        "nondifferentiable",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 q = net(x)
 r = q + (q.round() - q).detach()
 c = F.mse_loss(r, torch.randn(8, 2)) + 0.1 * (q - q.round()).square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "scaler_switched_off": (
        "scaler-bypassed",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", enabled=False)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 s.scale(c).backward()
 nn.utils.clip_grad_norm_(net.parameters(), 1.0)
 stop()
 s.step(o)
 s.update()
""",
    ),
    "noise_from_the_batch": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.n, self.b = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)
     def forward(self, x):
         return self.b(self.n(self.a(x)).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "sampling_from_an_average": (
        "aliased-models",
        """
 net = nn.Linear(6, 6)
 ema = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 @torch.no_grad()
 def sample(net):
     x = torch.randn(4, 6)
     for _ in range(2):
         x = net(x)
         stop()
     return x
 c = net(torch.randn(4, 6)).square().mean()
 o.zero_grad()
 c.backward()
 o.step()
 sample(ema)
""",
    ),
    "head_of_zeros_has_moved": (
        "constant-output",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 nn.init.zeros_(net[2].weight)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 2)
     q = net(x)
     c = F.mse_loss(q, y)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
    "states_that_follow_each_other": (
        "split-overlap",
        """
 net = nn.Linear(4, 2)
 old = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def learn(walk):
     s, n = torch.stack(walk[:-1]), torch.stack(walk[1:])
     q = net(s).max(1)[0]
     with torch.no_grad():
         y = 0.9 * old(n).max(1)[0]
     c = F.mse_loss(q, y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 for _ in range(2):
     learn([torch.randn(4) for _ in range(9)])
""",
    ),
    "end_of_the_schedule": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.CosineAnnealingLR(o, 3)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
 for _ in range(4):
     stop()
""",
    ),
    **everyday.TRAPS,
    **rounds.TRAPS,
}
