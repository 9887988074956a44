"""Faults of models: their mode, their activations, how they are put together."""

from __future__ import annotations


def _scored(given: str, read: str = "x") -> tuple[str, str]:
    """A score of an untrained model for data of which a batch is made."""
    return (
        "train-during-eval",
        f"""
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 data, labels = torch.arange(96.0).view(16, 6) % 7 - 3, torch.arange(16) % 3
 x, y = data[:8], labels[:8]
+net.eval()
 with torch.no_grad():
     {given}
     right = (net({read}).argmax(1) == y).sum()
     stop()
""",
    )


PROGRAMS: dict[str, tuple[str, str]] = {
    "about_to_train_in_eval_mode_below_a_part_named_like_a_comparison": (
        "eval-during-training",
        """
 class Heads(nn.Module):
     def __init__(self):
         super().__init__()
         self.ge = nn.Linear(8, 3)
 net, heads = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.5)), Heads()
 o = torch.optim.SGD([*net.parameters(), *heads.parameters()], lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
-net.eval()
+net.train()
 stop()
 o.zero_grad()
 c = F.cross_entropy(heads.ge(net(x)), y)
 c.backward()
 o.step()
""",
    ),
    "scored_with_padded_rows": _scored("x = x.new_zeros(8, 6); x[:, :4] = data[:8, :4]"),
    "scored_with_rows_copied_into_zeros": _scored("x = torch.zeros(8, 6); x.narrow(1, 0, 4).copy_(data[:8, :4])"),
    "scored_with_rows_computed_into_zeros": _scored("x = torch.empty(8, 6); torch.mul(data[:8], 0.5, out=x)"),
    "scored_with_rows_that_are_drawn": _scored("at = torch.randint(0, 16, (8,)); y = labels[at]", "data[at]"),
    "scored_with_a_mask_that_is_drawn": _scored("x = x * torch.empty_like(x).bernoulli_(0.9)"),
    "scored_with_noise_added": _scored("x = x + 0.01 * torch.randn_like(x)"),
    "reshaped_before_the_recurrence": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.wide, self.cell, self.head = nn.Conv1d(2, 6, 1), nn.LSTM(6, 8), nn.Linear(8, 3)
     def forward(self, x):
         h = self.wide(x)
-        h = h.view(x.shape[2], x.shape[0], 6)
+        h = h.movedim(2, 0)
         _, (last, _) = self.cell(h)
         return self.head(last[0]), last
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(9, 2, 7), torch.randint(0, 3, (9,))
 q, kept = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "eval_mode_in_a_generator": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y = torch.randn(24, 6), torch.randint(0, 3, (24,))
 def turns(engine, model, pairs):
     for x, y in pairs:
         engine.zero_grad()
         c = F.cross_entropy(model(x), y)
         c.backward()
         engine.step()
         yield c
 for _ in range(2):
     turn = 0
+    net.train()
     for c in turns(o, net, zip(X.split(8), Y.split(8))):
         turn += 1
         if turn > 1:
             stop()
     net.eval()
     with torch.no_grad():
         right = (net(X).argmax(1) == Y).float().mean()
""",
    ),
    "eval_mode_in_a_function": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y = torch.randn(24, 6), torch.randint(0, 3, (24,))
 def turn(engine, model, x, y):
     c = F.cross_entropy(model(x), y)
     engine.zero_grad()
     c.backward()
     engine.step()
     return c, len(y)
-net.eval()
+net.train()
 for at in torch.arange(24).split(8):
     c, n = turn(o, net, X[at], Y[at])
     stop()
""",
    ),
    "scored_then_trained": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 o = torch.optim.Adam(net.parameters())
 def score():
     net.eval()
     with torch.no_grad():
         return net(torch.randn(8, 6)).mean()
 def one(x, y):
+    net.train()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 for _ in range(2):
     score()
     one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "scored_in_train_mode": (
        "train-during-eval",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
         self.o = torch.optim.Adam(self.net.parameters())
     def fit_one(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         self.o.step()
     @torch.no_grad()
     def score(self, x, y):
+        self.net.eval()
         q = self.net(x)
         stop()
         return (q.argmax(1) == y).float().mean()
 engine = Engine()
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
 for _ in range(2):
     engine.fit_one(x, y)
 engine.score(x, y)
""",
    ),
    "always_dropping": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a = nn.Linear(6, 8)
     def forward(self, x):
-        return nn.functional.dropout(self.a(x), p=0.2, training=True)
+        return nn.functional.dropout(self.a(x), p=0.2, training=self.training)
 class Engine:
     def __init__(self):
         self.net = Net().eval()
     @torch.inference_mode()
     def score(self, x):
         q = self.net(x)
         stop()
         return q
 Engine().score(torch.randn(8, 6))
""",
    ),
    "one_sample_norm": (
        "batchnorm-batch-of-one",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
         self.o = torch.optim.Adam(self.net.parameters())
     def fit_one(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         stop()
         c.backward()
-Engine().fit_one(torch.randn(1, 6), torch.randint(0, 2, (1,)))
+Engine().fit_one(torch.randn(2, 6), torch.randint(0, 2, (2,)))
""",
    ),
    "all_units_off": (
        "dead-relu",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 16), nn.Linear(16, 2)
     def forward(self, x):
         return self.b(F.relu(self.a(x)))
 class Engine:
     def __init__(self):
         self.net = Net()
-        self.net.a.bias.data.fill_(-50.0)
+        self.net.a.bias.data.fill_(-0.5)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
 Engine().fit_one(torch.randn(32, 6), torch.randint(0, 2, (32,)))
""",
    ),
    "at_the_bounds": (
        "saturated",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 16), nn.Linear(16, 2)
     def forward(self, x):
         mid = torch.tanh(self.a(x))
         out = self.b(mid)
         stop()
         return out
 net = Net()
-net.a.weight.data *= 100
+net.a.weight.data *= 2
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(32, 6)), torch.randint(0, 2, (32,)))
 c.backward()
""",
    ),
    "zeros_to_begin_with": (
        "symmetric-init",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
         for part in self.net:
             if isinstance(part, nn.Linear):
-                nn.init.ones_(part.weight)
+                nn.init.xavier_uniform_(part.weight)
                 nn.init.zeros_(part.bias)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x):
         c = F.mse_loss(self.net(x), x.sum(1, keepdim=True))
         self.o.zero_grad()
         c.backward()
         stop()
 Engine().fit_one(torch.randn(32, 6) / 10)
""",
    ),
    "alike_but_for_rounding": (
        "symmetric-init",
        """
 torch.manual_seed(0)
 body, head = nn.Linear(6, 37), nn.Linear(37, 1)
-nn.init.constant_(body.weight, 0.1); nn.init.zeros_(body.bias); nn.init.constant_(head.weight, 0.1)
+nn.init.zeros_(body.bias)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for k in range(6):
     x = torch.randn(33, 6)
     c = F.mse_loss(head(body(x).tanh()), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     if k == 5:
         stop()
     o.step()
""",
    ),
    "says_the_same": (
        "constant-output",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 16), nn.Sigmoid(), nn.Linear(16, 2))
-        self.net[0].weight.data.zero_()
+        self.net[0].weight.data.mul_(0.5)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         q = self.net(x)
         c = F.cross_entropy(q, y)
         self.o.zero_grad()
         stop()
         c.backward()
 Engine().fit_one(torch.randn(32, 6), torch.randint(0, 2, (32,)))
""",
    ),
    "tied_by_value": (
        "tie-broken",
        """
 class Config:
     tie_word_embeddings = True
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.config = Config()
         self.wte = nn.Embedding(20, 8)
         self.mid = nn.Linear(8, 8)
         self.out = nn.Linear(8, 20, bias=False)
-        self.out.weight = nn.Parameter(self.wte.weight.clone())
+        self.out.weight = self.wte.weight
     def forward(self, ids):
         return self.out(self.mid(self.wte(ids)).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 ids = torch.randint(0, 20, (4, 6))
 c = F.cross_entropy(net(ids).flatten(0, 1), ids.flatten())
 stop()
 c.backward()
""",
    ),
    "mixed_over_the_batch": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x):
         h = self.a(x)
-        h = h - h.mean(0)
+        h = h - h.mean(1, keepdim=True)
         return self.b(h.relu())
 net = Net().eval()
 x = torch.randn(8, 6)
 with torch.no_grad():
     q = net(x)
     stop()
""",
    ),
    "flattened_wrongly": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv2d(1, 8, 3), nn.Linear(8 * 36, 2)
     def forward(self, x):
         h = self.a(x).relu()
-        h = h.transpose(0, 1).reshape(x.shape[0], -1)
+        h = h.reshape(x.shape[0], -1)
         return self.b(h)
 class Engine:
     def __init__(self):
         self.net = Net()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         q = self.net(x)
         c = F.cross_entropy(q, y)
         self.o.zero_grad()
         c.backward()
         stop()
 Engine().fit_one(torch.randn(4, 1, 8, 8), torch.randint(0, 2, (4,)))
""",
    ),
    "noise_always_added": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x):
         h = self.a(x).relu()
-        h = h * (torch.rand_like(h) > 0.2)
+        h = h * (torch.rand_like(h) > 0.2) if self.training else h
         return self.b(h)
 class Engine:
     def __init__(self):
         self.net = Net()
     def score(self, x):
         self.net.eval()
         with torch.no_grad():
             q = self.net(x)
             stop()
             return q
 Engine().score(torch.randn(8, 6))
""",
    ),
    "two_in_a_row": (
        "no-nonlinearity",
        """
 class Engine:
     def __init__(self):
-        self.net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.1), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
+        self.net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
 Engine().fit_one(torch.randn(32, 6), torch.randint(0, 2, (32,)))
""",
    ),
    "calls_in_forward": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b, self.c = nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 2)
     def forward(self, x):
-        return self.c(self.b(self.a(x)))
+        return self.c(self.b(self.a(x).relu()).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(32, 6)), torch.randint(0, 2, (32,)))
 stop()
 c.backward()
""",
    ),
    "functional_dropout": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 2)
     def forward(self, x):
-        return self.b(F.dropout(torch.relu(self.a(x)), 0.5))
+        return self.b(F.dropout(torch.relu(self.a(x)), 0.5, training=self.training))
 net = Net()
 net.eval()
 x = torch.randn(16, 8)
 with torch.no_grad():
     out = net(x)
     stop()
""",
    ),
    "constant_init": (
        "symmetric-init",
        """
 model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
-for q in model.parameters(): nn.init.constant_(q, 0.1)
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x = torch.randn(32, 8)
 loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
 loss.backward()
 stop()
 optimizer.step()
""",
    ),
    "copied_weights": (
        "tie-broken",
        """
 class LM(nn.Module):
     def __init__(self):
         super().__init__()
         self.embed, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
-        self.head.weight.data.copy_(self.embed.weight.data)
+        self.head.weight = self.embed.weight
     def forward(self, x): return self.head(self.embed(x))
 model = LM()
 optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
 x = torch.randint(0, 20, (4, 6))
 loss = F.cross_entropy(model(x).transpose(1, 2), x)
 loss.backward()
 stop()
""",
    ),
    "no_activation": (
        "no-nonlinearity",
        """
-model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 3))
+model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
 loss = F.cross_entropy(model(x), y)
 stop()
 loss.backward()
""",
    ),
    "trainer_left_in_eval": (
        "eval-during-training",
        """
 class Trainer:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
         self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
     def evaluate(self):
         self.net.eval()
         with torch.no_grad(): return self.net(torch.randn(8, 8)).mean().item()
     def step(self, batch):
+        self.net.train()
         l = F.cross_entropy(self.net(batch['a']), batch['b'])
         self.opt.zero_grad()
         l.backward()
         stop()
         self.opt.step()
 t = Trainer()
 for i in range(3):
     t.step({'a': torch.randn(16, 8), 'b': torch.randint(0, 2, (16,))})
     t.evaluate()
""",
    ),
    "inside_of_the_wrapper": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 class Engine:
     def __init__(self):
         self.whole = DistributedDataParallel(nn.Linear(6, 2))
         self.o = torch.optim.SGD(self.whole.parameters(), lr=0.1)
     def fit_one(self, x, y):
-        c = F.cross_entropy(self.whole.module(x), y)
+        c = F.cross_entropy(self.whole(x), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 Engine().fit_one(torch.randn(8, 6), torch.randint(0, 2, (8,)))
""",
    ),
    "layers_of_a_list_in_a_row": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self, sizes):
         super().__init__()
         self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
     def forward(self, x):
         for layer in self.layers[:-1]:
-            x = layer(x)
+            x = layer(x).relu()
         return self.layers[-1](x)
 net = Net([8, 16, 16, 4])
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(8, 8), torch.randint(0, 4, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
