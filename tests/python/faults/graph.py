"""Faults of the graph: a loss without one, cut, freed or kept; parameters that it does not reach."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "cut_off_and_clipped_by_a_helper": (
        "graph-cut",
        """
 def clip_gradient(model, limit):
     for p in model.parameters():
         if p.grad is not None:
             p.grad.data.clamp_(-limit, limit)
 def embed(body, x):
-    return torch.tensor(body(x).tolist())
+    return body(x)
 body, head = nn.Linear(4, 4), nn.Linear(4, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     c = F.cross_entropy(head(embed(body, x)), y)
     o.zero_grad()
     c.backward()
     stop()
     clip_gradient(body, 1.0)
     clip_gradient(head, 1.0)
     o.step()
""",
    ),
    "kept_by_a_meter": (
        "retained-graph",
        """
 class Meter(object):
     def __init__(self):
         self.sums, self.count = {}, 0
     def __call__(self, **terms):
         for name, term in terms.items():
-            self.sums[name] = self.sums.get(name, 0) + term
+            self.sums[name] = self.sums.get(name, 0) + float(term)
         self.count += 1
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 meter = Meter()
 for _ in range(5):
     q = net(torch.randn(8, 6))
     fit, size = q.pow(2).mean(), net.weight.abs().sum()
     o.zero_grad()
     (fit + 0.1 * size).backward()
     o.step()
     meter(fit=fit, size=size)
 stop()
""",
    ),
    "sums_by_name": (
        "retained-graph",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 sums = {"fit": 0.0, "size": 0.0}
 for _ in range(5):
     q = net(torch.randn(8, 6))
     terms = {"fit": q.pow(2).mean(), "size": q.abs().mean()}
     c = terms["fit"] + 0.1 * terms["size"]
     o.zero_grad()
     c.backward()
     o.step()
     for name in terms:
-        sums[name] += terms[name]
+        sums[name] += terms[name].detach()
 stop()
""",
    ),
    "item_in_method": (
        "loss-without-grad",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def turn(self, a, b):
         out = self.net(a)
-        err = torch.tensor(F.mse_loss(out, b).item())
+        err = F.mse_loss(out, b)
         self.opt.zero_grad()
         stop()
         err.backward()
         self.opt.step()
 engine = Engine()
 engine.turn(torch.randn(4, 6), torch.randn(4, 2))
""",
    ),
    "backward_by_another_object": (
        "loss-without-grad",
        """
 class Runs(object):
     def __init__(self, rate): self.rate = rate
     def backward(self, c): c.backward()
 class Engine:
     def __init__(self):
         self.net, self.runs = nn.Linear(6, 2), Runs(0.1)
         self.opt = torch.optim.SGD(self.net.parameters(), lr=self.runs.rate)
     def turn(self, a, b):
         err = F.mse_loss(self.net(a), b)
-        err = err.detach()
         self.opt.zero_grad()
         stop()
         self.runs.backward(err)
         self.opt.step()
 engine = Engine()
 engine.turn(torch.randn(4, 6), torch.randn(4, 2))
""",
    ),
    "wrapped_number": (
        "loss-rewrapped",
        """
 net = nn.Linear(6, 2)
 opt = torch.optim.Adam(net.parameters())
 def closure(a, b):
     opt.zero_grad()
     value = F.cross_entropy(net(a), b)
-    value = torch.tensor(value.item(), requires_grad=True)
     value.backward()
     stop()
     return value
 for _ in range(2):
     a, b = torch.randn(8, 6), torch.randint(0, 2, (8,))
     opt.step(lambda: closure(a, b))
""",
    ),
    "no_grad_around_forward": (
        "grad-mode-off",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
 opt = torch.optim.Adam(net.parameters())
 class Fit:
     def advance(self, a, b):
         opt.zero_grad()
-        with torch.no_grad():
+        if True:
             q = net(a)
         total = F.cross_entropy(q, b)
         stop()
         total.backward()
         opt.step()
 Fit().advance(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "rounded": (
        "nondifferentiable",
        """
 net = nn.Linear(6, 1)
 opt = torch.optim.Adam(net.parameters())
 a, b = torch.randn(8, 6), torch.randint(0, 2, (8, 1)).float()
 q = net(a)
-hit = (q > 0).float()
+hit = torch.sigmoid(q)
 cost = (hit - b).abs().mean()
 opt.zero_grad()
 stop()
 cost.backward()
 opt.step()
""",
    ),
    "data_between_parts": (
        "graph-cut",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, a):
         mid = torch.tanh(self.first(a))
-        return self.second(mid.data), mid
+        return self.second(mid), mid
 net = Two()
 opt = torch.optim.AdamW(net.parameters())
 a, b = torch.randn(8, 6), torch.randn(8, 2)
 out, mid = net(a)
 cost = (out - b).square().mean()
 opt.zero_grad()
 cost.backward()
 stop()
 opt.step()
""",
    ),
    "never_called_branch": (
        "unused-module",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.first = nn.Linear(6, 8)
         self.extra = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
         self.last = nn.Linear(8, 2)
     def forward(self, a):
         a = torch.relu(self.first(a))
+        a = self.extra(a)
         return self.last(a)
 class Engine:
     def __init__(self, net):
         self.net, self.opt = net, torch.optim.SGD(net.parameters(), lr=0.1)
     def training_step(self, batch):
         a, b = batch
         out = self.net(a)
         err = F.cross_entropy(out, b)
         self.opt.zero_grad()
         err.backward()
         stop()
         self.opt.step()
 Engine(Two()).training_step((torch.randn(8, 6), torch.randint(0, 2, (8,))))
""",
    ),
    "no_gradient_after_backward": (
        "missing-grad",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.first = nn.Linear(6, 8)
         self.last = nn.Linear(8, 2)
         self.scale = nn.Parameter(torch.ones(8))
     def forward(self, a):
         a = torch.relu(self.first(a))
-        a = a * self.scale.detach()
+        a = a * self.scale
         return self.last(a)
 net = Two()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     a, b = torch.randn(8, 6), torch.randint(0, 2, (8,))
     err = F.cross_entropy(net(a), b)
     opt.zero_grad()
     err.backward()
     stop()
     opt.step()
""",
    ),
    "layers_in_dict": (
        "unregistered-params",
        """
 class Parts(nn.Module):
     def __init__(self):
         super().__init__()
-        self.table = {"a": nn.Linear(6, 8), "b": nn.Linear(8, 8)}
+        self.table = nn.ModuleDict({"a": nn.Linear(6, 8), "b": nn.Linear(8, 8)})
         self.last = nn.Linear(8, 2)
     def forward(self, x):
         for k in ("a", "b"):
             x = torch.relu(self.table[k](x))
         return self.last(x)
 net = Parts()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 err = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 opt.zero_grad()
 err.backward()
 stop()
 opt.step()
""",
    ),
    "tensor_attribute": (
        "unregistered-params",
        """
 class Gain(nn.Module):
     def __init__(self):
         super().__init__()
         self.first = nn.Linear(6, 2)
-        self.gain = torch.ones(2, requires_grad=True)
+        self.gain = nn.Parameter(torch.ones(2))
     def forward(self, x):
         return self.first(x) * self.gain
 net = Gain()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 err = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 opt.zero_grad()
 err.backward()
 stop()
 opt.step()
""",
    ),
    "moved_weight": (
        "non-leaf-grad",
        """
 class Affine(nn.Module):
     def __init__(self):
         super().__init__()
         self.first = nn.Linear(6, 2)
-        self.w = torch.randn(2, 2, requires_grad=True) / 10
+        self.w = nn.Parameter(torch.randn(2, 2) / 10)
     def forward(self, x):
         return self.first(x) @ self.w
 net = Affine()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 err = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 stop()
 err.backward()
""",
    ),
    "relu_in_place_on_exp": (
        "inplace-modified",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 3)
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def go(self, x):
         e = torch.exp(self.net(x))
-        e += 1
+        e = e + 1
         c = e.log().mean()
         stop()
         c.backward()
 Engine().go(torch.randn(4, 6))
""",
    ),
    "weights_changed_before_backward": (
        "inplace-modified",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 a = net(torch.randn(4, 6)).mean()
 b = net(torch.randn(4, 6)).square().mean()
+opt.zero_grad()
+(a + b).backward()
+stop()
-opt.zero_grad()
-a.backward()
-opt.step()
-stop()
-b.backward()
 opt.step()
""",
    ),
    "memory_written_after_it_was_read": (
        "inplace-modified",
        """
 class Memory(nn.Module):
     def __init__(self):
         super().__init__()
         self.query, self.out = nn.Linear(6, 8), nn.Linear(8, 3)
         self.register_buffer("slots", torch.randn(5, 8))
     def forward(self, x):
-        q, kept = self.query(x), self.slots
+        q, kept = self.query(x), self.slots.clone()
         read = torch.softmax(q @ kept.t(), 1) @ kept
         self.write(q.detach().mean(0, keepdim=True))
         return self.out(read)
     @torch.no_grad()
     def write(self, entry):
         self.slots[:1] = entry
 net = Memory()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(7, 6)), torch.arange(7) % 3)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "gate_doubled_in_place": (
        "inplace-modified",
        """
 class Gated(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 3)
     def forward(self, x):
         h = torch.tanh(self.a(x))
         g = torch.sigmoid(h)
-        g *= 2
+        g = g * 2
         return self.b(h * g)
 net = Gated()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(7, 6)), torch.arange(7) % 3)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "first_column_set_in_a_function": (
        "inplace-modified",
        """
 def score(a, b):
     d = (a - b).exp()
-    d[:, 0] = 0
+    d = torch.cat([torch.zeros(7, 1), d[:, 1:]], 1)
     return d.sum()
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.01)
 for _ in range(2):
     c = score(net(torch.randn(7, 6)), torch.randn(7, 3))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "second_pass": (
        "graph-freed",
        """
 class Engine:
     def __init__(self):
         self.body, self.left, self.right = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 1)
         parts = [*self.body.parameters(), *self.left.parameters(), *self.right.parameters()]
         self.opt = torch.optim.SGD(parts, lr=0.1)
     def go(self, x):
         mid = torch.tanh(self.body(x))
         one, two = self.left(mid).square().mean(), self.right(mid).square().mean()
         self.opt.zero_grad()
-        one.backward()
+        one.backward(retain_graph=True)
         stop()
         two.backward()
         self.opt.step()
 Engine().go(torch.randn(4, 6))
""",
    ),
    "sum_in_attribute": (
        "retained-graph",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
         self.total = 0.0
     def go(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.opt.zero_grad()
         c.backward()
         self.opt.step()
-        self.total += c
+        self.total += c.item()
         stop()
 engine = Engine()
 for _ in range(4):
     engine.go(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "outputs_kept": (
        "retained-graph",
        """
 net = nn.Linear(6, 2)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 seen = []
 for _ in range(4):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     q = net(x).tanh()
     c = F.cross_entropy(q, y)
     opt.zero_grad()
     c.backward()
     opt.step()
-    seen.append(q)
+    seen.append(q.detach())
     stop()
""",
    ),
    "state_grows": (
        "graph-grows",
        """
 cell, head = nn.RNNCell(4, 8), nn.Linear(8, 1)
 opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
 s = torch.zeros(2, 8)
 for _ in range(6):
     s = cell(torch.randn(2, 4), s)
     c = head(s).square().mean()
     opt.zero_grad()
-    c.backward(retain_graph=True)
+    c.backward()
     stop()
+    s = s.detach()
""",
    ),
    "reentrant_in_forward": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.stem, self.last = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 2)
     def forward(self, x):
-        mid = checkpoint(self.stem, x, use_reentrant=True)
+        mid = checkpoint(self.stem, x, use_reentrant=False)
         stop()
         return self.last(mid)
 net = Deep()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(4, 6)), torch.randint(0, 2, (4,)))
 c.backward()
""",
    ),
    "require_grad": (
        "freeze-typo",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
-for q in model[0].parameters(): q.require_grad = False
+for q in model[0].parameters(): q.requires_grad = False
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
 loss = F.cross_entropy(model(x), y)
 loss.backward()
 stop()
""",
    ),
    "reentrant_checkpoint": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 trunk, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
 optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
 x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
-h = checkpoint(trunk, x, use_reentrant=True)
+h = checkpoint(trunk, x, use_reentrant=False)
 loss = F.cross_entropy(head(h), y)
 loss.backward()
 stop()
""",
    ),
    "scaled_leaf": (
        "non-leaf-grad",
        """
-w = (torch.randn(8, 1, requires_grad=True) * 0.01)
+w = (torch.randn(8, 1) * 0.01).requires_grad_()
 x = torch.randn(32, 8)
 y = x.sum(1, keepdim=True)
 for i in range(3):
     loss = (x @ w - y).pow(2).mean()
     loss.backward()
     stop()
     with torch.no_grad():
         if w.grad is not None: w -= 0.1 * w.grad; w.grad = None
         else: break
""",
    ),
    "list_of_losses": (
        "retained-graph",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 history = []
 for step in range(4):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
     loss = F.cross_entropy(model(x), y)
     optimizer.zero_grad()
     loss.backward()
     stop()
     optimizer.step()
-    history.append(loss)
+    history.append(loss.item())
""",
    ),
    "hidden_in_module": (
        "graph-freed",
        """
 class R(nn.Module):
     def __init__(self):
         super().__init__()
         self.rnn, self.out, self.h = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1), None
     def forward(self, x):
-        o, self.h = self.rnn(x, self.h)
+        o, self.h = self.rnn(x, self.h if self.h is None else self.h.detach())
         return self.out(o)
 r = R(); opt = torch.optim.SGD(r.parameters(), lr=0.1)
 for i in range(2):
     x = torch.randn(3, 5, 4)
     y = r(x)
     loss = y.pow(2).mean()
     opt.zero_grad()
     if i: stop()
     loss.backward()
     opt.step()
""",
    ),
    "left_in_the_function_of_the_loss": (
        "loss-without-grad",
        """
 class Weighed(nn.Module):
     def forward(self, guess, known, weight):
-        guess = torch.from_numpy(guess.data.numpy())
         wrong = (guess.squeeze(1) - known) ** 2
         return (wrong * weight).mean()
 net, criterion = nn.Linear(6, 1), Weighed()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 known = (x[:, 0] > 0).float()
 weight = torch.where(known > 0, 2.0, 1.0) * x.shape[1]
 opt.zero_grad()
 cost = criterion(net(x), known, weight)
 stop()
 cost.backward()
 opt.step()
""",
    ),
    "new_leaves_in_a_function": (
        "loss-rewrapped",
        """
 net, tail = nn.Linear(6, 4), nn.Linear(4, 1)
 opt = torch.optim.SGD([*net.parameters(), *tail.parameters()], lr=0.1)
 def join(parts, shares):
     whole = 0.0
     for part, share in zip(parts, shares):
-        whole = whole + share * torch.tensor(float(part.item()), requires_grad=True)
+        whole = whole + share * part
     return whole
 for k in range(3):
     x, y = torch.randn(8, 6), torch.randn(8, 1)
     h = net(x).relu()
     cost = join([F.mse_loss(tail(h), y), h.square().mean()], [1.0, 0.1])
     opt.zero_grad()
     cost.backward()
     if k == 1:
         stop()
     opt.step()
""",
    ),
    "checkpoints_of_layers_in_turn": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Tower(nn.Module):
     def __init__(self):
         super().__init__()
         self.layers = nn.ModuleList([nn.Sequential(nn.Linear(6, 6), nn.GELU()) for _ in range(2)])
         self.last = nn.Linear(6, 2)
     def forward(self, x):
         for at, layer in enumerate(self.layers):
             def run(h): return h + layer(h)
-            x = checkpoint(run, x, use_reentrant=True)
+            x = checkpoint(run, x, use_reentrant=False)
         return self.last(x)
 net = Tower()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     opt.zero_grad()
     c = F.cross_entropy(net(x), y)
     if k == 1: stop()
     c.backward()
     if k == 2: stop()
     opt.step()
""",
    ),
    "checkpoint_of_the_first_layer": (
        "checkpoint-cut",
        """
 from torch.utils import checkpoint as saving
 class Tower(nn.Module):
     def __init__(self):
         super().__init__()
         self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])
         self.last = nn.Linear(6, 2)
     def begin(self, x):
         return self.layers[0](x).relu()
     def forward(self, x):
-        x = saving.checkpoint(self.begin, x, use_reentrant=True)
+        x = saving.checkpoint(self.begin, x, use_reentrant=False)
         return self.last(self.layers[1](x).relu())
 net = Tower()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     c.backward()
     if k == 1: stop()
     opt.step()
""",
    ),
    "scaled_leaves_given_in_a_tuple": (
        "non-leaf-grad",
        """
 def begin(a, b):
-    return torch.randn(a, b, requires_grad=True) * a ** -0.5
+    return (torch.randn(a, b) * a ** -0.5).requires_grad_()
 def descend(layers, rate):
     with torch.no_grad():
         for w in layers:
             if w.grad is not None:
                 w -= rate * w.grad
                 w.grad = None
 inner, outer = begin(6, 8), begin(8, 1)
 for k in range(1):
     x = torch.randn(8, 6)
     cost = ((x @ inner).tanh() @ outer - x.sum(1, keepdim=True)).square().mean()
     cost.backward()
     stop()
     descend((inner, outer), 0.01)
""",
    ),
    "center_that_retained_graphs_hide": (
        "retained-graph",
        """
 class Centered(nn.Module):
     def __init__(self):
         super().__init__()
         self.score = nn.Linear(6, 4)
         self.register_buffer("center", torch.zeros(4))
     def forward(self, x):
         z = self.score(x)
         out = z - self.center
-        self.center = 0.9 * self.center + 0.1 * z.mean(0)
+        self.center = 0.9 * self.center + 0.1 * z.detach().mean(0)
         return out
 net = Centered()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(4):
     cost = F.cross_entropy(net(torch.randn(8, 6)), torch.arange(8) % 4)
     opt.zero_grad()
     cost.backward(retain_graph=True)
     if k == 3:
         stop()
     opt.step()
""",
    ),
    "scaled_leaves_in_a_list": (
        "non-leaf-grad",
        """
 def begin(sizes):
-    return [torch.randn(a, b, requires_grad=True).mul(a ** -0.5) for a, b in zip(sizes, sizes[1:])]
+    return [torch.randn(a, b).mul(a ** -0.5).requires_grad_() for a, b in zip(sizes, sizes[1:])]
 def run(weights, x):
     for w in weights[:-1]: x = (x @ w).tanh()
     return x @ weights[-1]
 def descend(layers, rate):
     with torch.no_grad():
         for at in range(len(layers)):
             if layers[at].grad is not None:
                 layers[at] -= rate * layers[at].grad
                 layers[at].grad.zero_()
 layers = begin([6, 8, 1])
 for k in range(2):
     x = torch.randn(8, 6)
     cost = (run(layers, x) - x.sum(1, keepdim=True)).square().mean()
     if k == 0:
         cost.backward()
         stop()
         descend(layers, 0.01)
""",
    ),
    "mean_of_a_list_of_floats": (
        "loss-rewrapped",
        """
 def parts(q, y):
     return [F.mse_loss(q[:, k], y[:, k]) for k in range(3)]
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     q, y = net(torch.randn(8, 6)), torch.randn(8, 3)
     some = parts(q, y)
-    c = torch.tensor([float(one) for one in some], requires_grad=True).sum()
+    c = torch.stack(some).sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "body_run_by_a_method_without_gradients": (
        "missing-grad",
        """
 class Engine:
     def __init__(self):
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 3)
         some = [{"params": self.body.parameters(), "lr": 0.01}, {"params": self.head.parameters()}]
         self.opt = torch.optim.SGD(some, lr=0.1)
-    @torch.no_grad()
     def encode(self, x):
         return self.body(x)
     def go(self, x, y):
         c = F.cross_entropy(self.head(self.encode(x)), y)
         self.opt.zero_grad()
         c.backward()
         stop()
         self.opt.step()
 one = Engine()
 for _ in range(2):
     one.go(torch.randn(8, 6), torch.arange(8) % 3)
""",
    ),
    "running_mean_of_losses_seen_from_its_caller": (
        "retained-graph",
        """
 class Engine(object):
     def __init__(self):
         self.net, self.mean = nn.Linear(6, 1), None
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.01)
     def note(self, c):
         if self.mean is None:
             self.mean = c
         else:
             self.mean = 0.9 * self.mean + 0.1 * c
     def one(self, x, y):
         c = F.mse_loss(self.net(x), y)
         self.opt.zero_grad()
         c.backward()
         self.opt.step()
-        self.note(c)
+        self.note(c.detach())
     def fit(self):
         for _ in range(5):
             self.one(torch.randn(8, 6), torch.randn(8, 1))
         stop()
 Engine().fit()
""",
    ),
}
