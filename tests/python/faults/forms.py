"""Faults in other forms than the usual ones: written by hand, one by one in a list, in a part of a model only."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "rounded_between_two_parts": (
        "nondifferentiable",
        """
 class Coder(nn.Module):
     def __init__(self):
         super().__init__()
         self.squeeze, self.unfold = nn.Linear(8, 4), nn.Linear(4, 8)
     def forward(self, x):
         z = self.squeeze(x).tanh() * 3
         hard = z.round()
-        return self.unfold(hard)
+        return self.unfold(z + (hard - z).detach())
 net = Coder()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 8)
     c = F.mse_loss(net(x), x)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cut_off_one_by_one": (
        "graph-cut",
        """
 body, head = nn.Linear(6, 4), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 sides, y = torch.randn(2, 8, 6), torch.randint(0, 3, (8,))
 seen = [body(side).relu() for side in sides]
-both = torch.cat([one.detach() for one in seen], 1)
+both = torch.cat([one for one in seen], 1)
 c = F.cross_entropy(head(both), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "term_that_no_sum_has": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.kind, self.place = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 2)
     def forward(self, x):
         h = self.body(x).relu()
         return self.kind(h), self.place(h)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y, at = torch.randn(8, 6), torch.randint(0, 3, (8,)), torch.randn(8, 2)
     kind, place = net(x)
     right, near = F.cross_entropy(kind, y), F.smooth_l1_loss(place, at)
-    c = right + right
+    c = right + near
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "average_of_outputs_with_their_graphs": (
        "graph-grows",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 middle = torch.zeros(2)
 for turn in range(3):
     q = net(torch.randn(8, 6))
-    middle = 0.9 * middle + 0.1 * q.mean(0)
+    middle = 0.9 * middle.detach() + 0.1 * q.mean(0)
     c = (q - 1).pow(2).mean() + middle.pow(2).sum()
     o.zero_grad()
     if turn == 1:
         stop()
     if turn == 1:
         break
     c.backward(retain_graph=True)
     o.step()
""",
    ),
    "name_in_place_of_the_weight": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(net(x), x[:, :1])
     net.zero_grad()
     c.backward()
     stop()
     with torch.no_grad():
         for w in net.parameters():
-            w = w - 0.1 * w.grad
+            w -= 0.1 * w.grad
""",
    ),
    "result_of_an_update_is_dropped": (
        "weights-unchanged",
        """
 ws = [torch.randn(6, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True)]
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss((x @ ws[0]).relu() @ ws[1], x[:, :1])
     slopes = torch.autograd.grad(c, ws)
     stop()
     for w, slope in zip(ws, slopes):
-        w.data.sub(0.1 * slope)
+        w.data.sub_(0.1 * slope)
""",
    ),
    "own_optimizer_names_anew": (
        "weights-unchanged",
        """
 class Plain(torch.optim.Optimizer):
     def __init__(self, params): super().__init__(params, dict(lr=0.1))
     @torch.no_grad()
     def step(self):
         for group in self.param_groups:
             for p in group["params"]:
-                p = p.data - group["lr"] * p.grad
+                p.data = p.data - group["lr"] * p.grad
 net = nn.Linear(6, 1)
 o = Plain(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(net(x), x[:, :1])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "judged_after_each_step_in_train_mode": (
        "train-during-eval",
        """
 def judge(net, batches):
     right = 0
     with torch.no_grad():
         for x, y in batches:
             q = net(x)
             right += int((q.argmax(1) == y).sum())
             stop()
     return right
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
     net.train()
     o.zero_grad()
     F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,))).backward()
     o.step()
+    net.eval()
     judge(net, kept)
""",
    ),
    "layer_by_hand_at_its_bounds": (
        "saturated",
        """
-size = 6.0
+size = 0.2
 w, b = nn.Parameter(torch.randn(20, 16) * size), nn.Parameter(torch.zeros(16))
 v = nn.Parameter(torch.randn(16, 2) * 0.2)
 o = torch.optim.SGD([w, b, v], lr=0.1)
 x, y = torch.randn(16, 20), torch.randint(0, 2, (16,))
 h = (x @ w + b).tanh()
 c = F.cross_entropy(h @ v, y)
 stop()
 o.zero_grad()
 c.backward()
 o.step()
""",
    ),
    "mean_of_what_has_none": (
        "constant-output",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.norm, self.top = nn.Conv2d(3, 4, 3), nn.InstanceNorm2d(4), nn.Linear(4, 2)
     def forward(self, x):
-        return self.top(self.norm(self.a(x)).mean((2, 3)))
+        return self.top(self.norm(self.a(x)).abs().mean((2, 3)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 3, 8, 8), torch.randint(0, 2, (8,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "attention_among_samples": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
-        self.look, self.top = nn.MultiheadAttention(8, 2), nn.Linear(8, 3)
+        self.look, self.top = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 3)
     def forward(self, x): return self.top(self.look(x, x, x)[0].mean(1))
 net = Net()
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(9, 5, 8), torch.randint(0, 3, (9,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "chosen_by_a_comparison": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.choose, self.top = nn.Linear(6, 6), nn.Linear(6, 3)
     def forward(self, x):
         open = self.choose(x).sigmoid()
-        open = torch.where(open > 0.5, 1.0, 0.0)
         return self.top(x * open)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_made_in_each_forward": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.top = nn.Linear(6, 8), nn.Linear(8, 3)
     def forward(self, x):
-        return nn.Linear(8, 3)(self.body(x).relu())
+        return self.top(self.body(x).relu())
 net = Net()
-del net.top
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "compared_in_place_of_set": (
        "freeze-typo",
        """
 def freeze(part):
     for p in part.parameters():
-        p.requires_grad == False
+        p.requires_grad = False
 body, top = nn.Linear(6, 8), nn.Linear(8, 3)
 freeze(body)
 o = torch.optim.SGD([*body.parameters(), *top.parameters()], lr=0.1)
 c = F.cross_entropy(top(body(torch.randn(8, 6)).relu()), torch.randint(0, 3, (8,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "no_backward_at_all": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(4):
     o.zero_grad()
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
+    c.backward()
     stop()
     o.step()
""",
    ),
    "schedule_that_is_over": (
        "lr-zero",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 fall = torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.0, total_iters=2)
 for turn in range(6):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
-    if turn == 4: stop()
+    if turn == 1: stop()
     o.step()
     fall.step()
+    if turn == 1: break
 stop()
""",
    ),
    "convolutions_in_a_row": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b, self.top = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3), nn.Linear(8, 2)
     def forward(self, x):
         h = self.a(x)
+        h = h.relu()
         return self.top(self.b(h).relu().mean((2, 3)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 3, 8, 8)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
}

#: Healthy programs that only look as if they had such a fault.
TRAPS: dict[str, tuple[str, str]] = {
    "signs_whose_slopes_are_handed_on": (
        "nondifferentiable",
        """
 w, top = nn.Parameter(torch.randn(6, 8)), nn.Linear(8, 2)
 o = torch.optim.SGD([w, *top.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     hard = w.sign()
     hard.retain_grad()
     c = F.cross_entropy(top((x @ hard).relu()), y)
     o.zero_grad()
     c.backward()
     w.grad = hard.grad.clone()
     stop()
     o.step()
""",
    ),
    "signs_whose_slopes_a_hook_hands_on": (
        "nondifferentiable",
        """
 w, top, kept = nn.Parameter(torch.randn(6, 8)), nn.Linear(8, 2), []
 w.register_hook(lambda g: kept.pop())
 o = torch.optim.SGD([w, *top.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     hard = w.sign()
     hard.register_hook(lambda g: kept.append(g))
     c = F.cross_entropy(top((x @ hard).relu()), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "a_sign_of_its_own_at_the_end": (
        "nondifferentiable",
        """
 class Sign(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x): return x.sign()
     @staticmethod
     def backward(ctx, g): return g
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(Sign.apply(net(x)), x[:, :1].sign())
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "rounded_in_one_of_two_losses": (
        "nondifferentiable",
        """
 coder, top = nn.Linear(8, 4), nn.Linear(4, 8)
 o = torch.optim.SGD([*coder.parameters(), *top.parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 8)
     z = coder(x)
     near, fit = (z - z.detach().round()).pow(2).mean(), F.mse_loss(top(z.round()), x)
     o.zero_grad()
     near.backward(retain_graph=True)
     stop()
     fit.backward()
     stop()
     o.step()
""",
    ),
    "numbers_that_are_all_reported": (
        "graph-cut",
        """
 body, right, left = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 1)
 o = torch.optim.SGD([*body.parameters(), *right.parameters(), *left.parameters()], lr=0.1)
 for turn in range(2):
     x = torch.randn(8, 6)
     h = body(x).relu()
     to_right, to_left = F.mse_loss(right(h), x[:, :1]), F.mse_loss(left(h), x[:, 1:2])
     c = to_right if turn else to_left
     aside = to_left.detach() if turn else to_right.detach()
     extra = F.l1_loss(left(h), x[:, 2:3]) if turn else F.l1_loss(right(h), x[:, 2:3])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     told = {name: float(one) for name, one in [*locals().items()] if torch.is_tensor(one) and one.dim() == 0}
""",
    ),
    "one_loss_after_the_other": (
        "graph-cut",
        """
 body, right, left = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 1)
 o = torch.optim.SGD([*body.parameters(), *right.parameters(), *left.parameters()], lr=0.1)
 for turn in range(4):
     x = torch.randn(8, 6)
     h = body(x).relu()
     to_right, to_left = F.mse_loss(right(h), x[:, :1]), F.mse_loss(left(h), x[:, 1:2])
     if turn % 2:
         c = to_right
     else:
         c = to_left
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cut_off_at_first": (
        "graph-cut",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for turn in range(4):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = body(x).relu()
     if turn > 1:
         z = h * 2
     else:
         z = h.detach() * 2
     c = F.cross_entropy(head(z), y) + 0.1 * F.cross_entropy(head(z.flip(1) if turn > 1 else z.detach()), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "a_second_number_that_a_model_gives": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.top, self.doubt = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 1)
     def forward(self, x, y):
         h = self.body(x).relu()
         return F.cross_entropy(self.top(h), y), self.doubt(h).sigmoid().mean()
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c, doubt = net(torch.randn(8, 6), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "some_of_them_are_cut_off": (
        "graph-cut",
        """
 parts = nn.ModuleList(nn.Linear(6, 4) for _ in range(2))
 head = nn.Linear(8, 3)
 o = torch.optim.SGD([*parts.parameters(), *head.parameters()], lr=0.1)
 still = {0}
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     seen = [part(x).relu() for part in parts]
     c = F.cross_entropy(head(torch.cat([one.detach() if at in still else one for at, one in enumerate(seen)], 1)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     still = set()
""",
    ),
    "fast_weights_in_a_loop": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, x2 = torch.randn(8, 6), torch.randn(8, 6)
     slopes = torch.autograd.grad(F.mse_loss(net(x), x[:, :1]), list(net.parameters()), create_graph=True)
     fast = []
     for w, slope in zip(net.parameters(), slopes):
         w = w - 0.1 * slope
         fast.append(w)
     c = F.mse_loss(F.linear(x2, *fast), x2[:, :1])
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "size_of_the_last_update": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(net(x), x[:, :1])
     o.zero_grad()
     c.backward()
     o.step()
     with torch.no_grad():
         for w in net.parameters():
             w = w - 0.1 * w.grad
     much = float(w.norm())
     stop()
""",
    ),
    "votes_after_each_step": (
        "train-during-eval",
        """
 def vote(net, batches):
     right = 0
     with torch.no_grad():
         for x, y in batches:
             q = torch.stack([net(x).softmax(1) for _ in range(4)]).mean(0)
             right += int((q.argmax(1) == y).sum())
             stop()
     return right
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
     o.zero_grad()
     F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,))).backward()
     o.step()
     vote(net, kept)
""",
    ),
    "answers_for_the_next_step": (
        "train-during-eval",
        """
 def answers(net, batches):
     found = []
     with torch.no_grad():
         for x, y in batches:
             q = net(x)
             found.append((x, torch.where(q.max(1).values > 0, q.argmax(1), y)))
             stop()
     return found
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
     x, y = answers(net, kept)[0]
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "places_kept_after_each_step": (
        "train-during-eval",
        """
 def places(net, batches):
     found = []
     with torch.no_grad():
         for x, _ in batches:
             q = net(x)
             found.append(q)
             stop()
     return torch.cat(found)
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
 for _ in range(2):
     o.zero_grad()
     F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,))).backward()
     o.step()
     bank = places(net, kept)
""",
    ),
    "layer_made_at_the_first_call": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.top = nn.Linear(6, 8), None
     def forward(self, x):
         h = self.body(x).relu()
         if self.top is None:
             self.top = nn.Linear(h.shape[1], 1)
         return self.top(h)
 net = Net()
 net(torch.randn(2, 6))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = net(torch.randn(8, 6, requires_grad=True)).square().mean()
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "activation_made_in_each_forward": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.top = nn.Linear(6, 8), nn.Linear(8, 1)
     def forward(self, x): return self.top(nn.ReLU()(self.body(x)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = net(torch.randn(8, 6, requires_grad=True)).square().mean()
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "asked_whether_it_is_frozen": (
        "freeze-typo",
        """
 body, top = nn.Linear(6, 8).requires_grad_(False), nn.Linear(8, 3)
 assert body.weight.requires_grad == False
 still = [p for p in body.parameters() if p.requires_grad == False]
 o = torch.optim.SGD(top.parameters(), lr=0.1)
 c = F.cross_entropy(top(body(torch.randn(8, 6)).relu()), torch.randint(0, 3, (8,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "falls_to_zero_at_the_end": (
        "lr-zero",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 fall = torch.optim.lr_scheduler.PolynomialLR(o, total_iters=3)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     fall.step()
 stop()
""",
    ),
    "convolution_that_is_added_later": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b, self.top = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Linear(8, 2)
     def forward(self, x):
         h = self.a(x)
         return self.top((h + self.b(h).relu()).mean((2, 3)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 3, 8, 8)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "convolutions_of_factors": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.each, self.point = nn.Conv2d(8, 8, 3, groups=8), nn.Conv2d(8, 16, 1)
         self.down, self.up = nn.Conv2d(16, 4, 3), nn.Conv2d(4, 16, 3)
         self.wide, self.high, self.top = nn.Conv2d(16, 16, (1, 3)), nn.Conv2d(16, 16, (3, 1)), nn.Linear(16, 2)
     def forward(self, x):
         h = self.point(self.each(x)).relu()
         h = self.up(self.down(h)).relu()
         return self.top(self.high(self.wide(h)).relu().mean((2, 3)))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(4, 8, 12, 12)), torch.randint(0, 2, (4,)))
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "begins_at_the_mean_of_the_prices": (
        "constant-output",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
 with torch.no_grad():
     net[2].bias.fill_(2.5e4)
     net[2].weight.mul_(0.1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(16, 6), 2.5e4 + 100 * torch.randn(16, 1)
 q = net(x)
 c = F.l1_loss(q, y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "one_number_a_time_from_attention": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.look, self.top = nn.MultiheadAttention(8, 2), nn.Linear(8, 1)
     def forward(self, x): return self.top(self.look(x, x, x)[0]).squeeze(2)
 net = Net()
 o = torch.optim.Adam(net.parameters())
 x = torch.randn(9, 5, 8)
 q = net(x)
 c = F.mse_loss(q, x[:, :, 0])
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attention_takes_the_time_first": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.look, self.top = nn.MultiheadAttention(8, 2), nn.Linear(8, 3)
     def forward(self, x): return self.top(self.look(x, x, x)[0].mean(0))
 net = Net()
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(9, 5, 8), torch.randint(0, 3, (5,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
}
