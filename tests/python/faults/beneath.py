"""Faults that stand beneath the step, in a function or a method that it calls: in the frame are only its results."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "features_of_a_search": (
        "missing-grad",
        """
 class Matcher(nn.Module):
     def __init__(self):
         super().__init__()
         self.tower = nn.Sequential(nn.Linear(9, 14), nn.ReLU())
         self.top = nn.Linear(14, 4)
-    @torch.no_grad()
     def features(self, x):
         return self.tower(x) * 0.5
     def forward(self, x):
         return self.top(self.features(x))
 net = Matcher()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 9), torch.randint(0, 4, (8,))
     loss = F.cross_entropy(net(x), y)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "moves_of_all_states": (
        "softmax-wrong-dim",
        """
 from torch.distributions import Categorical
 class Actor(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 16), nn.Linear(16, 3)
     def forward(self, state):
-        return self.head(self.body(state).tanh()).softmax(0)
+        return self.head(self.body(state).tanh()).softmax(1)
 class Agent:
     def __init__(self):
         self.actor = Actor()
         self.optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
     def learn(self, states, gains):
         moves = Categorical(probs=self.actor(states))
         taken = moves.sample()
         loss = -(moves.log_prob(taken) * gains).mean()
         self.optimizer.zero_grad()
         loss.backward()
         stop()
         self.optimizer.step()
 agent = Agent()
 for _ in range(3):
     agent.learn(torch.randn(12, 6), torch.randn(12))
""",
    ),
    "rank_among_one_answer": (
        "std-of-one",
        """
 def standing(gains):
     return (gains - gains.mean(1, keepdim=True)) / (gains.std(1, keepdim=True) + 1e-6)
 net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 7))
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
-answers = 1
+answers = 4
 x, gains = torch.randn(6 * answers, 5), torch.rand(6, answers)
 chosen = net(x).log_softmax(1)[:, 0]
 weights = standing(gains).flatten()
 loss = -(chosen * weights).mean()
 stop()
 loss.backward()
 opt.step()
""",
    ),
    "answers_cut_off": (
        "all-targets-ignored",
        """
 class Writer(nn.Module):
     def __init__(self):
         super().__init__()
         self.words, self.out = nn.Embedding(30, 12), nn.Linear(12, 30)
     def forward(self, ids, goals):
         scores = self.out(self.words(ids)).flatten(0, 1)
         wanted = goals.flatten()
         return {"loss": F.cross_entropy(scores, wanted)}
 net = Writer()
 opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(1):
     ids = torch.randint(0, 30, (4, 10))
     goals = ids.clone()
-    goals[:, :12] = -100
+    goals[:, :8] = -100
     out = net(ids, goals)
     loss = out["loss"]
     opt.zero_grad()
     stop()
     loss.backward()
""",
    ),
    "shares_of_a_gravity": (
        "nll-input-not-log",
        """
 class Choice(nn.Module):
     def __init__(self):
         super().__init__()
         self.pull = nn.Linear(6, 5)
     def forward(self, x):
         force = (self.pull(x) / 3).exp()
-        return force / force.sum(1, keepdim=True)
+        return (force / force.sum(1, keepdim=True)).log()
 def cost(shares, place):
     return F.nll_loss(shares, place)
 net = Choice()
 opt = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     x, place = torch.randn(11, 6), torch.randint(0, 5, (11,))
     shares = net(x)
     loss = cost(shares, place)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "surprise_of_all_moves": (
        "loss-broadcast",
        """
 def surprise(net, old, states, moves, gains, later):
     value = net(states).gather(1, moves[:, None])
     with torch.no_grad():
         best = old(later).max(1).values
         goal = gains + 0.9 * best
-    return value - goal
+    return value.squeeze(1) - goal
 def bounded(error):
     size = error.abs()
     return torch.where(size < 1, 0.5 * error * error, size - 0.5).mean()
 net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
 old = copy.deepcopy(net).requires_grad_(False)
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     memory = torch.randn(10, 4), torch.randint(0, 3, (10,)), torch.randn(10), torch.randn(10, 4)
     error = surprise(net, old, *memory)
     loss = bounded(error)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "excess_over_all_prices": (
        "loss-broadcast",
        """
 class Pricer(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 1)
     def forward(self, x):
         return self.b(self.a(x).relu())
 class Book:
     def __init__(self):
         self.model = Pricer()
         self.opt = torch.optim.RMSprop(self.model.parameters(), lr=1e-3)
     def excess(self, x, price):
         guess = self.model(x)
-        return guess - price
+        return guess[:, 0] - price
     def step(self, x, price, volume):
         excess = self.excess(x, price)
         loss = (volume * excess.pow(2)).sum() / volume.sum()
         self.opt.zero_grad()
         loss.backward()
         stop()
         self.opt.step()
 book = Book()
 for _ in range(3):
     book.step(torch.randn(14, 8), torch.randn(14), torch.rand(14))
""",
    ),
    "stage_of_another_name": (
        "grad-mode-off",
        """
 net = nn.Sequential(nn.Linear(7, 10), nn.ReLU(), nn.Linear(10, 3))
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 def go_through(stage, batches):
     learning = stage == "fit"
     net.train(learning)
     for x, y in batches:
-        with torch.set_grad_enabled(stage == "train"):
+        with torch.set_grad_enabled(learning):
             loss = F.cross_entropy(net(x), y)
             if learning:
                 opt.zero_grad()
                 stop()
                 if loss.requires_grad:
                     loss.backward()
                     opt.step()
 for stage in ("fit", "judge"):
     go_through(stage, [(torch.randn(6, 7), torch.randint(0, 3, (6,))) for _ in range(2)])
""",
    ),
    "costs_in_a_new_tensor": (
        "loss-rewrapped",
        """
 class Cost:
     def __call__(self, depth, edges, want):
         costs = [F.mse_loss(depth, want[0]), 0.3 * F.l1_loss(edges, want[1])]
-        return torch.tensor(costs, requires_grad=True).sum()
+        return torch.stack(costs).sum()
 body, depths, edges = nn.Linear(6, 12), nn.Linear(12, 2), nn.Linear(12, 2)
 opt = torch.optim.Adam([*body.parameters(), *depths.parameters(), *edges.parameters()], lr=1e-3)
 cost = Cost()
 for _ in range(3):
     h = body(torch.randn(9, 6)).relu()
     loss = cost(depths(h), edges(h), torch.randn(2, 9, 2))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "both_halves_of_a_patch_are_zero": (
        "zero-grad-values",
        """
 class Patch(nn.Module):
     def __init__(self, layer, rank=2):
         super().__init__()
         self.layer = layer.requires_grad_(False)
-        self.inner = nn.Parameter(torch.zeros(rank, layer.in_features))
+        self.inner = nn.Parameter(torch.randn(rank, layer.in_features))
         self.outer = nn.Parameter(torch.zeros(layer.out_features, rank))
     def forward(self, x):
         return self.layer(x) + 0.5 * (x @ self.inner.T @ self.outer.T)
 body = Patch(nn.Linear(8, 8))
 head = nn.Linear(8, 3)
 opt = torch.optim.Adam([body.inner, body.outer, *head.parameters()], lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(10, 8), torch.randint(0, 3, (10,))
     loss = F.cross_entropy(head(body(x).relu()), y)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "train_of_its_own": (
        "eval-during-training",
        """
 class Tuned(nn.Module):
     def __init__(self):
         super().__init__()
         self.base = nn.Sequential(nn.Linear(6, 9), nn.BatchNorm1d(9)).requires_grad_(False)
         self.top = nn.Sequential(nn.Linear(9, 12), nn.ReLU(), nn.Dropout(0.3), nn.Linear(12, 2))
     def train(self, mode=True):
-        self.training = mode
+        super().train(mode)
         self.base.eval()
         return self
     def forward(self, x):
         return self.top(self.base(x))
 net = Tuned()
 opt = torch.optim.SGD([one for one in net.parameters() if one.requires_grad], lr=0.1)
 for epoch in range(3):
     net.train()
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     loss = F.cross_entropy(net(x), y)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
     for part in net.modules():
         part.training = False
     with torch.no_grad():
         net(torch.randn(4, 6))
""",
    ),
}

TRAPS: dict[str, tuple[str, str]] = {
    "searched_with_what_it_learns": (
        "missing-grad",
        """
 class Matcher(nn.Module):
     def __init__(self):
         super().__init__()
         self.tower, self.old, self.top = nn.Linear(9, 14), nn.Linear(9, 14), nn.Linear(14, 4)
         self.old.requires_grad_(False)
     @torch.no_grad()
     def features(self, x):
         return self.tower(x) + self.old(x)
     def forward(self, x):
         return self.top(self.tower(x) + self.features(x))
 net = Matcher()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     loss = F.cross_entropy(net(torch.randn(8, 9)), torch.randint(0, 4, (8,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "shares_among_slots_then_among_places": (
        "softmax-wrong-dim",
        """
 queries, values, out = nn.Linear(6, 4), nn.Linear(6, 5), nn.Linear(5, 2)
 opt = torch.optim.Adam([*queries.parameters(), *values.parameters(), *out.parameters()], lr=1e-3)
 for _ in range(2):
     places, y = torch.randn(20, 6), torch.randint(0, 2, (4,))
     shares = queries(places).softmax(0)
     shares = shares / shares.sum(0, keepdim=True)
     loss = F.cross_entropy(out(shares.T @ values(places)), y)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "one_answer_has_no_rank": (
        "std-of-one",
        """
 def standing(gains):
     spread = torch.nan_to_num(gains.std(1, keepdim=True), nan=1.0)
     return (gains - gains.mean(1, keepdim=True)) / (spread + 1e-6)
 net = nn.Linear(5, 7)
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     gains = torch.rand(6, 1)
     loss = -(net(torch.randn(6, 5)).log_softmax(1)[:, 0] * standing(gains).flatten()).mean()
     opt.zero_grad()
     stop()
     loss.backward()
     opt.step()
""",
    ),
    "a_sum_of_no_targets": (
        "all-targets-ignored",
        """
 class Writer(nn.Module):
     def __init__(self):
         super().__init__()
         self.words, self.out = nn.Embedding(30, 12), nn.Linear(12, 30)
     def forward(self, ids, goals):
         return F.cross_entropy(self.out(self.words(ids)).flatten(0, 1), goals.flatten(), reduction="sum")
 net = Writer()
 opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for kept in (0, 3):
     ids = torch.randint(0, 30, (4, 10))
     goals = ids.clone()
     goals[:, kept:] = -100
     loss = net(ids, goals) / max(1, int((goals != -100).sum()))
     opt.zero_grad()
     stop()
     loss.backward()
     opt.step()
""",
    ),
    "distance_of_two_heaps": (
        "loss-broadcast",
        """
 def apart(made, real):
     return (made - real[None]).abs().mean() - 0.5 * (made - made.T).abs().mean()
 net = nn.Linear(3, 1)
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     real = torch.randn(12)
     made = net(torch.randn(12, 3))
     loss = apart(made, real)
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "offset_of_each_picture": (
        "loss-broadcast",
        """
 def without_offset(net, x):
     offset = net(x)
     return x - offset
 net = nn.Sequential(nn.Linear(10, 6), nn.ReLU(), nn.Linear(6, 1))
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     rest = without_offset(net, torch.randn(10, 10) + 2)
     loss = rest.pow(2).mean()
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "levels_of_nine_columns": (
        "loss-broadcast",
        """
 def above(net, x, level):
     found = net(x)
     return found - level
 net = nn.Linear(4, 9)
 opt = torch.optim.Adam(net.parameters(), lr=1e-3)
 level = torch.randn(9)
 for _ in range(2):
     rest = above(net, torch.randn(9, 4), level)
     loss = rest.pow(2).mean()
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "bumps_around_each_place": (
        "loss-broadcast",
        """
 def bumps(place, centres):
     at = place(torch.randn(9, 4))
     return (-(at - centres).pow(2)).exp()
 place, out = nn.Linear(4, 1), nn.Linear(9, 2)
 opt = torch.optim.Adam([*place.parameters(), *out.parameters()], lr=1e-3)
 centres = torch.linspace(-1, 1, 9)
 for _ in range(2):
     loss = F.cross_entropy(out(bumps(place, centres)), torch.randint(0, 2, (9,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "judged_where_there_is_no_graph": (
        "grad-mode-off",
        """
 net = nn.Linear(7, 3)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 def go_through(learning):
     net.train(learning)
     for _ in range(2):
         opt.zero_grad()
         with torch.set_grad_enabled(learning):
             loss = F.cross_entropy(net(torch.randn(6, 7)), torch.randint(0, 3, (6,)))
             stop()
             if loss.requires_grad:
                 loss.backward()
                 opt.step()
 for learning in (True, False):
     go_through(learning)
""",
    ),
    "start_of_an_attack": (
        "loss-rewrapped",
        """
 def shifted(net, x, y):
     shift = torch.tensor(x.numpy() * 0.01, requires_grad=True)
     return F.cross_entropy(net(x + shift), y)
 net = nn.Linear(7, 3)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     loss = shifted(net, torch.randn(6, 7), torch.randint(0, 3, (6,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "one_half_of_a_patch_is_zero": (
        "zero-grad-values",
        """
 class Patch(nn.Module):
     def __init__(self, still):
         super().__init__()
         self.layer = nn.Linear(8, 8)
         self.inner = nn.Parameter(torch.zeros(2, 8), requires_grad=not still)
         self.outer = nn.Parameter(torch.zeros(8, 2), requires_grad=not still)
         self.gate = nn.Parameter(torch.zeros(8, 8))
         self.start = nn.Parameter(torch.ones(2))
     def forward(self, x):
         return self.layer(x) + (x @ self.inner.T + self.start) @ self.outer.T + x @ self.gate.T
 body, still, head = Patch(False), Patch(True), nn.Linear(8, 3)
 opt = torch.optim.SGD([*body.parameters(), *still.parameters(), *head.parameters()], lr=0.1)
 for _ in range(1):
     loss = F.cross_entropy(head(still(body(torch.randn(10, 8)).relu())), torch.randint(0, 3, (10,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "train_of_its_own_that_knows_its_parts": (
        "eval-during-training",
        """
 class Tuned(nn.Module):
     def __init__(self):
         super().__init__()
         self.base = nn.Sequential(nn.Linear(6, 9), nn.Dropout(0.1))
         self.top = nn.Sequential(nn.Linear(9, 12), nn.ReLU(), nn.Linear(12, 2))
     def train(self, mode=True):
         self.training = mode
         self.base.eval()
         return self
     def forward(self, x):
         return self.top(self.base(x))
 net = Tuned()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for epoch in range(2):
     net.train()
     loss = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
    "train_of_its_own_that_leaves_some_still": (
        "eval-during-training",
        """
 class Tuned(nn.Module):
     def __init__(self):
         super().__init__()
         self.base = nn.Sequential(nn.Linear(6, 9), nn.BatchNorm1d(9))
         self.top = nn.Sequential(nn.Linear(9, 12), nn.ReLU(), nn.Linear(12, 2))
     def train(self, mode=True):
         for part in self.modules():
             part.training = mode and not isinstance(part, nn.BatchNorm1d)
         return self
     def forward(self, x):
         return self.top(self.base(x))
 net = Tuned()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for epoch in range(2):
     net.train()
     loss = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     loss.backward()
     stop()
     opt.step()
""",
    ),
}
