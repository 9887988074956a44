"""Healthy programs in which what has no gradient in one step learns in another one, or by another way."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "block_that_is_without_gradients_at_first": (
        "missing-grad",
        """
 import contextlib
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self.count = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3), 0
     def forward(self, x):
         with torch.no_grad() if self.count < 3 else contextlib.nullcontext():
             h = self.body(x)
         return self.head(h)
 net = Net()
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(5):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     net.count += 1
""",
    ),
    "part_named_like_a_comparison": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.le, self.out = nn.Linear(4, 4), nn.Linear(4, 3)
     def forward(self, x):
         return self.out(x), self.le(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     a, b = net(x)
     c = F.cross_entropy(a, y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "loop_that_is_without_gradients_at_first": (
        "missing-grad",
        """
 import contextlib
 body, head = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for epoch in range(4):
     for _ in range(2):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
         with torch.inference_mode(epoch < 2):
             z = x * 2
         with torch.no_grad() if epoch < 2 else contextlib.nullcontext():
             h = body(z)
         c = F.cross_entropy(head(h), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "phases_in_a_table": (
        "graph-cut",
        """
 def frozen(net, x): return net(x).detach()
 def live(net, x): return net(x)
 body, head = nn.Linear(4, 8), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for extract, n in ((frozen, 3), (live, 3)):
     for _ in range(n):
         x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
         c = F.cross_entropy(head(extract(body, x)), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "phase_that_is_an_argument": (
        "graph-cut",
        """
 def frozen(net, x): return net(x).detach()
 def live(net, x): return net(x)
 def phase(extract, body, head, o):
     for _ in range(3):
         x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
         c = F.cross_entropy(head(extract(body, x)), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
 body, head = nn.Linear(4, 8), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 phase(frozen, body, head, o)
 phase(live, body, head, o)
""",
    ),
    "method_that_is_changed_after_some_rounds": (
        "graph-cut",
        """
 class Model:
     def __init__(self):
         self.body, self.head, self.features = nn.Linear(4, 8), nn.Linear(8, 3), self.frozen
     def frozen(self, x): return self.body(x).detach()
     def live(self, x): return self.body(x)
 m = Model()
 o = torch.optim.AdamW([*m.body.parameters(), *m.head.parameters()], lr=1e-3)
 for n in range(4):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     c = F.cross_entropy(m.head(m.features(x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     if n == 1: m.features = m.live
""",
    ),
    "a_second_loss_in_the_first_rounds": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self.aux = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 3)
     def forward(self, x):
         h = torch.relu(self.body(x))
         return self.head(h), self.aux(h)
 net = Net()
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for epoch in range(4):
     for _ in range(2):
         x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
         out, aux = net(x)
         second = F.cross_entropy(aux, y)
         c = F.cross_entropy(out, y)
         if epoch < 2:
             c = c + 0.4 * second
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "features_cut_off_in_the_first_rounds": (
        "graph-cut",
        """
 body, head = nn.Linear(4, 8), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for epoch in range(4):
     for _ in range(2):
         x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
         h = body(x)
         z = F.normalize(h, dim=-1)
         if epoch < 2:
             z = z.detach()
         c = F.cross_entropy(head(z), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "one_loss_first_and_then_two": (
        "graph-cut",
        """
 net, other = nn.Linear(4, 3), nn.Linear(4, 3)
 o = torch.optim.AdamW([*net.parameters(), *other.parameters()], lr=1e-3)
 for n in range(5):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     out, second = net(x), other(x)
     w = F.cross_entropy(second, y, reduction="none").detach()
     c1 = (w * F.cross_entropy(out, y, reduction="none")).mean()
     c2 = F.cross_entropy(second, y)
     c = c1 if n < 3 else c1 + c2
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_of_the_losses_by_chance": (
        "graph-cut",
        """
 import random
 random.seed(0)
 body, one, two = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)
 o = torch.optim.AdamW([*body.parameters(), *one.parameters(), *two.parameters()], lr=1e-3)
 for _ in range(5):
     x, y, t = torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(8, 1)
     h = torch.relu(body(x))
     a, b = one(h), two(h)
     losses = {"a": F.cross_entropy(a, y), "b": F.mse_loss(b, t)}
     c = losses[random.choice(["a", "b"])]
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "other_losses_are_only_added_as_numbers": (
        "graph-cut",
        """
 import random
 random.seed(0)
 body, heads = nn.Linear(4, 8), nn.ModuleDict({"a": nn.Linear(8, 3), "b": nn.Linear(8, 3)})
 o = torch.optim.AdamW([*body.parameters(), *heads.parameters()], lr=1e-3)
 for _ in range(5):
     x, ys = torch.randn(8, 4), {k: torch.randint(0, 3, (8,)) for k in heads}
     h = torch.relu(body(x))
     each = {k: F.cross_entropy(heads[k](h), ys[k]) for k in heads}
     task = random.choice(["a", "b"])
     c = each[task] + 0.1 * sum(v.item() for k, v in each.items() if k != task)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "head_first_in_a_function_of_its_own": (
        "missing-grad",
        """
 def probe(body, head, o):
     for _ in range(3):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
         with torch.no_grad():
             h = body(x)
         c = F.cross_entropy(head(h), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
 def tune(body, head, o):
     for _ in range(3):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
         c = F.cross_entropy(head(body(x)), y)
         o.zero_grad()
         c.backward()
         o.step()
 body, head = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for phase in (probe, tune):
     phase(body, head, o)
""",
    ),
    "features_of_a_helper_first": (
        "graph-cut",
        """
 def features(net, x): return net(x).detach()
 def probe(net, head, o):
     for _ in range(3):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
         c = F.cross_entropy(head(features(net, x)), y)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
 def tune(whole, o):
     for _ in range(3):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
         c = F.cross_entropy(whole[1](whole[0](x)), y)
         o.zero_grad()
         c.backward()
         o.step()
 body, head = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 probe(body, head, o)
 tune([body, head], o)
""",
    ),
    "features_of_a_helper_in_the_first_loop": (
        "graph-cut",
        """
 def features(net, x): return net(x).detach()
 body, head = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(head(features(body, x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(head(body(x)), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "slopes_that_are_set_by_hand": (
        "graph-cut",
        """
 def features(net, x): return net(x).detach()
 body, head = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 3)
 held = list(body.parameters())
 o = torch.optim.SGD([*held, *head.parameters()], lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     o.zero_grad()
     c = F.cross_entropy(head(features(body, x)), y)
     c.backward()
     stop()
     own = F.mse_loss(body(x), body(x + 0.1))
     for p, g in zip(held, torch.autograd.grad(own, held)): p.grad = g
     o.step()
""",
    ),
    "a_critic_that_another_method_trains": (
        "graph-cut",
        """
 class Agent:
     def __init__(self):
         self.actor, self.critic = nn.Linear(4, 2), nn.Linear(4, 1)
         self.o = torch.optim.Adam([*self.actor.parameters(), *self.critic.parameters()], lr=1e-3)
     def update_policy(self, s, a, gain):
         value = self.critic(s).squeeze(-1)
         c = -(torch.distributions.Categorical(logits=self.actor(s)).log_prob(a) * (gain - value.detach())).mean()
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
     def update_value(self, s, gain):
         c = ((self.critic(s).squeeze(-1) - gain) ** 2).mean()
         self.o.zero_grad()
         c.backward()
         self.o.step()
 agent = Agent()
 for _ in range(3):
     s, a, gain = torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.randn(16)
     agent.update_policy(s, a, gain)
     agent.update_value(s, gain)
""",
    ),
    "codes_that_the_forward_writes": (
        "missing-grad",
        """
 class Codes(nn.Module):
     def __init__(self):
         super().__init__()
         self.embedding = nn.Embedding(16, 4)
         self.register_buffer("average", self.embedding.weight.detach().clone())
     def forward(self, z):
         hot = F.one_hot(torch.cdist(z, self.embedding.weight).argmin(1), 16).float()
         q = hot @ self.embedding.weight
         with torch.no_grad():
             self.average.mul_(0.9).add_(hot.T @ z, alpha=0.1)
             self.embedding.weight.data.copy_(self.average)
         return F.mse_loss(z, q.detach()), z + (q - z).detach()
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.enc, self.codes, self.dec = nn.Linear(8, 4), Codes(), nn.Linear(4, 8)
     def forward(self, x):
         kept, q = self.codes(self.enc(x))
         return kept, self.dec(q)
 net = Net()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.randn(32, 8)
     kept, out = net(x)
     c = F.mse_loss(out, x) + 0.25 * kept
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_target_that_a_method_moves": (
        "missing-grad",
        """
 class Twins(nn.Module):
     def __init__(self):
         super().__init__()
         self.online, self.predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8)), nn.Linear(8, 8)
         self.target = copy.deepcopy(self.online)
     def forward(self, a, b):
         return self.predictor(self.online(a)), self.target(b).detach()
     @torch.no_grad()
     def follow(self):
         for p, t in zip(self.online.parameters(), self.target.parameters()):
             t.mul_(0.99).add_(p, alpha=0.01)
 net = Twins()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.randn(32, 6)
     p, z = net(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
     c = 2 - 2 * F.cosine_similarity(p, z, dim=-1).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     net.follow()
""",
    ),
    "cut_off_in_the_first_loop_only": (
        "graph-cut",
        """
 body, head = nn.Sequential(nn.Linear(6, 8), nn.GELU()), nn.Linear(8, 3)
 o = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3)
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = body(x)
     c = F.cross_entropy(head(h.detach()), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 for _ in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(head(body(x)), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "a_target_that_a_function_moves": (
        "missing-grad",
        """
 def follow(slow, fast):
     for a, b in zip(slow.parameters(), fast.parameters()): a.data.mul_(0.9).add_(b.data, alpha=0.1)
 class Twins(nn.Module):
     def __init__(self):
         super().__init__()
         self.online, self.target = nn.Linear(6, 8), nn.Linear(6, 8)
     def forward(self, x):
         return self.online(x), self.target(x).detach()
     def follow(self): follow(self.target, self.online)
 net = Twins()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     p, z = net(torch.randn(32, 6))
     c = F.mse_loss(p, z)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     net.follow()
""",
    ),
    "one_part_of_a_model_after_the_other": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
     def features(self, x): return self.body(x).tanh()
     def forward(self, x): return self.head(self.features(x))
 class Trainer:
     def __init__(self):
         self.net = Net()
         self.o = torch.optim.Adam(self.net.parameters(), lr=1e-3)
     def probe(self, x, y):
         h = self.net.features(x)
         c = F.cross_entropy(self.net.head(h.detach()), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
     def tune(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         self.o.step()
 t = Trainer()
 for n in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     (t.probe if n < 2 else t.tune)(x, y)
""",
    ),
    "feedback_of_its_own_for_the_body": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 1)
     def forward(self, x):
         self.given = x
         return self.head(self.body(x).detach().tanh())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 feedback = torch.randn(1, 8)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randn(16, 1)
     error = net(x) - y
     c = error.square().mean()
     o.zero_grad()
     c.backward()
     stop()
     net.body.weight.grad = (error.detach() @ feedback).T @ x / 16
     net.body.bias.grad = (error.detach() @ feedback).mean(0)
     o.step()
""",
    ),
    "a_follower_moved_with_its_whole": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.online, self.slow = nn.Linear(6, 4), nn.Linear(6, 4)
     def forward(self, x):
         return F.mse_loss(self.online(x), self.slow(x + 0.1).detach())
 def follow(net):
     for slow, fast in zip(net.slow.parameters(), net.online.parameters()):
         slow.data.lerp_(fast.data, 0.01)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = net(torch.randn(16, 6))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     follow(net)
""",
    ),
    "a_body_that_an_object_trains_first": (
        "graph-cut",
        """
 class Rebuilt(object):
     def __init__(self, way, back):
         self.way, self.back = way, back
     def learn(self, x):
         F.mse_loss(self.back(self.way(x)), x).backward()
 def summary(h):
     return h.detach().tanh()
 body, judge = nn.Linear(6, 8), nn.Linear(8, 2)
 rebuilt = Rebuilt(body, nn.Linear(8, 6))
 o = torch.optim.SGD([*body.parameters(), *rebuilt.back.parameters(), *judge.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
     o.zero_grad()
     rebuilt.learn(x)
     c = F.cross_entropy(judge(summary(body(x))), y)
     c.backward()
     stop()
     o.step()
""",
    ),
    "judged_by_a_summary_of_another_optimizer": (
        "graph-cut",
        """
 def summary(h):
     return h.detach().tanh().mean(1)
 body, judge = nn.Linear(6, 8), nn.Linear(8, 2)
 slow = torch.optim.SGD(body.parameters(), lr=0.1)
 o = torch.optim.SGD(judge.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
     c = F.cross_entropy(judge(summary(body(x)[:, None])), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_second_loss_that_takes_it_by_turns": (
        "graph-cut",
        """
 def summary(h):
     return h.detach().tanh()
 body, judge, other = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(6, 8)
 o = torch.optim.SGD([*body.parameters(), *judge.parameters(), *other.parameters()], lr=0.1)
 for k in range(4):
     x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
     h = body(x)
     c = F.cross_entropy(judge(summary(h)), y)
     d = (h if k % 2 else other(x)).square().mean()
     o.zero_grad()
     c.backward()
     d.backward()
     stop()
     o.step()
""",
    ),
    "cut_off_at_first_by_a_function_that_a_method_calls": (
        "graph-cut",
        """
 def kept(parts):
     return parts.detach()
 class Pool(object):
     def __init__(self, first):
         self.first, self.turn = first, 0
     def squeeze(self, parts):
         self.turn += 1
         if self.turn <= self.first:
             parts = kept(parts)
         return parts.tanh().sum(1)
 reader, judge = nn.Linear(5, 6), nn.Linear(6, 2)
 pool = Pool(2)
 opt = torch.optim.SGD([*reader.parameters(), *judge.parameters()], lr=0.1)
 for k in range(4):
     x, y = torch.randn(8, 4, 5), torch.randint(0, 2, (8,))
     c = F.cross_entropy(judge(pool.squeeze(reader(x))), y)
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "reentrant_part_behind_a_first_layer": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.stem, self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)
     def forward(self, x):
         return self.head(checkpoint(self.body, self.stem(x).tanh(), use_reentrant=True))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "grown_from_no_layers_on": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.grown, self.head = 0, nn.Linear(6, 3)
         self.layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(2))
     def forward(self, x):
         layers = self.layers[:self.grown]
         def body(x):
             for layer in layers:
                 x = layer(x).tanh()
             return x
         x = checkpoint(body, x.requires_grad_(self.grown > 0), use_reentrant=True)
         return self.head(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     net.grown = k
""",
    ),
}
