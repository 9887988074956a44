"""Faults that a step brings with it from the one before, or that its source tells before they act."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "state_kept_by_the_module": (
        "graph-freed",
        """
 class Cell(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.out = nn.GRUCell(4, 8), nn.Linear(8, 3)
         self.memory = torch.zeros(2, 8)
     def forward(self, x):
+        self.memory = self.memory.detach()
         self.memory = self.cell(x, self.memory)
         return self.out(self.memory)
 net = Cell()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     if k: stop()
     c.backward()
     o.step()
""",
    ),
    "state_seen_before_the_forward": (
        "graph-freed",
        """
 class Cell(nn.Module):
     def __init__(me):
         super().__init__()
         me.rnn, me.out = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 3)
         me.state = None
     def forward(me, x):
         if me.state is None:
             me.state = torch.zeros(1, 2, 8), torch.zeros(1, 2, 8)
+        me.state = tuple(part.detach() for part in me.state)
         h, me.state = me.rnn(x, me.state)
         return me.out(h[:, -1])
 net = Cell()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(2, 5, 4), torch.randint(0, 3, (2,))
     if k: stop()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_kept_by_the_trainer": (
        "graph-freed",
        """
 class Trainer:
     def __init__(self):
         self.rnn, self.out = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 3)
         self.o = torch.optim.SGD([*self.rnn.parameters(), *self.out.parameters()], lr=0.1)
         self.h = torch.zeros(1, 2, 8)
     def turn(self, x, y):
+        self.h = self.h.detach()
         z, self.h = self.rnn(x, self.h)
         c = F.cross_entropy(self.out(z[:, -1]), y)
         self.o.zero_grad()
         stop()
         c.backward()
         self.o.step()
 trainer = Trainer()
 for _ in range(3):
     trainer.turn(torch.randn(2, 5, 4), torch.randint(0, 3, (2,)))
""",
    ),
    "head_left_out_of_a_dict": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(4, 8)
         self.heads = nn.ModuleDict({"kind": nn.Linear(8, 3), "box": nn.Linear(8, 3)})
     def forward(self, x):
         h = self.body(x).relu()
-        return self.heads["kind"](h)
+        return self.heads["kind"](h) + self.heads["box"](h)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "last_of_a_list_left_out": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.blocks, self.out = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)]), nn.Linear(4, 3)
     def forward(self, x):
-        for block in self.blocks[:3]:
+        for block in self.blocks:
             x = block(x).tanh()
         return self.out(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "counted_one_short": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.blocks, self.out = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)]), nn.Linear(4, 3)
     def forward(self, x):
-        for i in range(2): x = self.blocks[i](x).tanh()
+        for i in range(3): x = self.blocks[i](x).tanh()
         return self.out(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "eval_left_on_before_the_loss": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def judge():
     net.eval()
     with torch.no_grad(): net(torch.randn(6, 4))
+    net.train()
 for epoch in range(2):
     for _ in range(2):
         x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
         if epoch: stop()
         o.zero_grad()
         q = net(x)
         c = F.cross_entropy(q, y)
         c.backward()
         o.step()
     judge()
""",
    ),
    "eval_left_on_in_a_trainer": (
        "eval-during-training",
        """
 class Trainer:
     def __init__(self):
         self.net = nn.Sequential(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
         self.o = torch.optim.Adam(self.net.parameters())
         self.net.eval()
     def turn(self, x, y):
+        self.net.train()
         stop()
         self.o.zero_grad()
         F.cross_entropy(self.net(x), y).backward()
         self.o.step()
 trainer = Trainer()
 for _ in range(2):
     trainer.turn(torch.randn(6, 1, 4), torch.randint(0, 3, (6,)))
""",
    ),
    "called_by_another_name_than_it_was_set_by": (
        "eval-during-training",
        """
 class Trainer:
     def __init__(self):
         self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
         self.o = torch.optim.SGD(self.model.parameters(), lr=0.1)
     def fit(self):
         net = self.model
-        net.eval()
+        net.train()
         x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
         c = F.cross_entropy(self.model(x), y)
         self.o.zero_grad()
         stop()
         c.backward()
         self.o.step()
 Trainer().fit()
""",
    ),
    "dice_of_an_argmax": (
        "nondifferentiable",
        """
 net = nn.Conv2d(1, 2, 3, padding=1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def overlap(q, y):
-    p = q.argmax(1).float()
+    p = q.softmax(1)[:, 1]
     return 1 - 2 * (p * y).sum() / (p.sum() + y.sum() + 1)
 for _ in range(2):
     x, y = torch.randn(3, 1, 8, 8), torch.randint(0, 2, (3, 8, 8))
     q = net(x)
     c = F.cross_entropy(q, y) + 0.5 * overlap(q, y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "a_term_that_counts": (
        "nondifferentiable",
        """
 class Sum(nn.Module):
     def forward(self, q, y):
-        sure = (q.softmax(1) > 0.9).float()
+        sure = q.softmax(1).pow(2)
         few = sure.mean()
         return F.cross_entropy(q, y) + few
 net, criterion = nn.Linear(4, 3), Sum()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = criterion(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "row_masked_seen_in_the_forward": (
        "masked-row",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
     def forward(self, x, pad):
         weights = (self.q(x) @ self.k(x).transpose(1, 2) / 2 + pad).softmax(-1)
         mixed = weights @ self.v(x)
         stop()
         return mixed
 net = Attention()
 o = torch.optim.Adam(net.parameters())
 x, pad = torch.randn(3, 5, 4), torch.zeros(5, 5)
-pad[2] = float("-inf")
+pad[2, 1:] = float("-inf")
 c = net(x, pad).pow(2).mean()
 o.zero_grad()
 c.backward()
 o.step()
""",
    ),
    "bias_filled_with_nan": (
        "nan-in-params",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-nn.init.constant_(net[2].bias, math.nan)
+nn.init.constant_(net[2].bias, 0.1)
 x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "rooted_in_a_forward": (
        "nan-in-grad-only",
        """
 class Length(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(4, 8)
     def forward(self, x):
-        return (self.body(x) - self.body(x).detach()).pow(2).sum(1).sqrt()
+        return ((self.body(x) - self.body(x).detach()).pow(2).sum(1) + 1e-6).sqrt()
 net = Length()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = net(torch.randn(6, 4)).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "detached_outside_of_the_class": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.out = nn.Linear(4, 8), nn.Linear(8, 3)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
-    h = net.body(x).detach().relu()
+    h = net.body(x).relu()
     c = F.cross_entropy(net.out(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}

_STATE = """
 class Cell(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.out, self.memory = nn.GRUCell(4, 8), nn.Linear(8, 3), torch.zeros(2, 8)
     def forward(self, x):
         self.memory = self.cell(x, self.memory)
         return self.out(self.memory)
 net = Cell()
 kept = list(vars(net))[-1]
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     {set}
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
"""
#: what sets a module's state before its call
_SET_BY = {
    "setattr": "setattr(net, kept, torch.zeros(2, 8))",
    "vars": "vars(net)[kept] = torch.zeros(2, 8)",
    "dict": "net.__dict__[kept] = torch.zeros(2, 8)",
    "a_lambda": "list(map(lambda one: setattr(one, kept, torch.zeros(2, 8)), [net]))",
}
_MODE = """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.eval()
 import functools
 {before}
 for k in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     o.zero_grad()
     {train}
     c = F.cross_entropy(net(x), y)
     c.backward()
     o.step()
     net.eval()
"""
#: what sets a module's mode before its forward: what stands before the loop, and in it
_TRAIN_BY = {
    "getattr": ("name = 'train'", "getattr(net, name)()"),
    "a_bound_method": ("begin = net.train", "begin()"),
    "a_partial": ("begin = functools.partial(net.train, True)", "begin()"),
    "a_table": ("modes = {'train': net.train, 'eval': net.eval}", "modes['train']()"),
    "a_hook": (
        "net.register_forward_pre_hook(lambda net, given: net.train(torch.is_grad_enabled()) and None)",
        "x = x + 1",
    ),
}

TRAPS: dict[str, tuple[str, str]] = {
    **{f"state_set_by_{by}": ("graph-freed", _STATE.format(set=text)) for by, text in _SET_BY.items()},
    **{
        f"train_by_{by}": ("eval-during-training", _MODE.format(before=before, train=train))
        for by, (before, train) in _TRAIN_BY.items()
    },
    "state_begun_anew": (
        "graph-freed",
        """
 class Cell(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.out, self.memory = nn.GRUCell(4, 8), nn.Linear(8, 3), torch.zeros(2, 8)
     def begin(self): self.clear()
     def clear(self): self.memory = torch.zeros(2, 8)
     def forward(self, x):
         self.memory = self.cell(x, self.memory)
         return self.out(self.memory)
 net = Cell()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     stop()
     net.begin()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_set_from_outside": (
        "graph-freed",
        """
 class Cell(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.out, self.memory = nn.GRUCell(4, 8), nn.Linear(8, 3), torch.zeros(2, 8)
     def forward(self, x):
         self.memory = self.cell(x, self.memory)
         return self.out(self.memory)
 def forget_all(net): net.memory = net.memory.detach()
 net = Cell()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(4):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     stop()
     if k % 2: net.memory = net.memory.detach()
     else: forget_all(net)
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_looked_at_without_gradients": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     with torch.no_grad(): seen = decoder(h)
     h = cell(x, h.detach())
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_looked_at_between_switches": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     torch.set_grad_enabled(False)
     seen = decoder(h)
     torch.set_grad_enabled(True)
     h = cell(x, h.detach())
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_looked_at_beside_the_loss": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     seen = decoder(h)
     h = cell(x, h.detach())
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_given_as_it_is_in_the_first_round": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     h = cell(x, h) if k == 0 else cell(x, h.detach())
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_given_as_it_is_in_a_branch": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     if k == 0: h = cell(x, h)
     else: h = cell(x, h.detach())
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_detached_in_place": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     h.detach_()
     h = cell(x, h)
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_detached_by_a_hook_of_the_layer": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 cell.register_forward_pre_hook(lambda layer, given: (given[0], given[1].detach()))
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     h = cell(x, h)
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_detached_by_a_forward_of_its_own": (
        "graph-freed",
        """
 cell, head, decoder = nn.GRUCell(4, 8), nn.Linear(8, 3), nn.Linear(8, 4)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 plain = cell.forward
 cell.forward = lambda x, h: plain(x, h.detach())
 h = torch.zeros(2, 8)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     h = cell(x, h)
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "state_detached_by_a_hook_inside": (
        "graph-freed",
        """
 class Cell(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.out, self.memory = nn.GRUCell(4, 8), nn.Linear(8, 3), torch.zeros(2, 8)
     def forward(self, x):
         self.memory = self.cell(x, self.memory)
         return self.out(self.memory)
 net = Cell()
 net.cell.register_forward_pre_hook(lambda layer, given: (given[0], given[1].detach()))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     stop()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "train_by_a_block": (
        "eval-during-training",
        """
 class Mode(object):
     def __init__(self, net): self.net = net
     def __enter__(self): self.net.train()
     def __exit__(self, *error): self.net.eval()
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3)).eval()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 training = Mode(net)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     o.zero_grad()
     with training:
         c = F.cross_entropy(net(x), y)
         c.backward()
         o.step()
""",
    ),
    "train_as_a_block_is_left": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.eval()
 class Judging(object):
     def __init__(self, net): self.net = net
     def __enter__(self): self.net.eval()
     def __exit__(self, *error): self.net.train()
 judging = Judging(net)
 for k in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     o.zero_grad()
     with judging:
         x = x + 1
     c = F.cross_entropy(net(x), y)
     c.backward()
     o.step()
     net.eval()
""",
    ),
    "train_by_a_property": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.eval()
 class Engine:
     def __init__(self, net): self.net = net
     @property
     def phase(self): return "train" if self.net.training else "eval"
     @phase.setter
     def phase(self, phase): self.net.train(phase == "train")
 engine = Engine(net)
 for k in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     o.zero_grad()
     engine.phase = "train"
     c = F.cross_entropy(net(x), y)
     c.backward()
     o.step()
     net.eval()
""",
    ),
    "train_by_what_is_iterated": (
        "eval-during-training",
        """
 class Batches(object):
     def __init__(self, net): self.net = net
     def __iter__(self):
         for _ in range(2):
             self.net.train()
             yield torch.randn(6, 4), torch.randint(0, 3, (6,))
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3)).eval()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 batches = Batches(net)
 for x, y in batches:
     o.zero_grad()
     c = F.cross_entropy(net(x), y)
     c.backward()
     o.step()
     net.eval()
""",
    ),
    "state_made_anew_where_it_is_kept": (
        "graph-freed",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.out = nn.Linear(4, 8), nn.Linear(8, 3)
         self.features = None
     def forward(self, x):
         self.features = self.body(x)
         self.features = self.features.relu()
         return self.out(self.features)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(2, 4), torch.randint(0, 3, (2,))
     stop()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     stop()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_head_for_each_task": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.task = nn.Linear(4, 8), "a"
         self.heads = nn.ModuleDict({"a": nn.Linear(8, 3), "b": nn.Linear(8, 3)})
     def forward(self, x): return self.heads[self.task](self.body(x).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for task in ("a", "b"):
     net.task = task
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad(set_to_none=True)
     c.backward()
     stop()
     o.step()
""",
    ),
    "grows_while_it_trains": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.blocks, self.out = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)]), nn.Linear(4, 3)
         self.depth = 1
     def forward(self, x):
         for block in self.blocks[:self.depth]: x = block(x).tanh()
         return self.out(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for depth in (1, 2, 3):
     net.depth = depth
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "another_method_takes_the_other_head": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(4, 8)
         self.heads = nn.ModuleDict({"a": nn.Linear(8, 3), "b": nn.Linear(8, 3)})
     def forward(self, x): return self.heads["a"](self.body(x).relu())
     def pretext(self, x): return self.heads["b"](self.body(x).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(net.pretext(x) if k else net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_function_takes_the_other_head": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(4, 8)
         self.heads = nn.ModuleDict({"a": nn.Linear(8, 3), "b": nn.Linear(8, 3)})
     def forward(self, x): return self.heads["a"](self.body(x).relu())
 def pretext(net, x): return net.heads["b"](net.body(x).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     c = F.cross_entropy(pretext(net, x) if k else net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "train_comes_before_the_forward": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def begin(part): part.train()
 for k in range(4):
     net.eval()
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     stop()
     if k % 2: net.train()
     else: begin(net)
     q = net(x)
     c = F.cross_entropy(q, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "labels_by_the_model_itself": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(6, 4)
     net.eval()
     stop()
     y = net(x).argmax(1)
     net.train()
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "one_function_trains_and_judges": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     training = k == 0
     if training: net.train()
     else: net.eval()
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     stop()
     c = F.cross_entropy(net(x), y)
     stop()
     if training:
         o.zero_grad()
         c.backward()
         o.step()
""",
    ),
    "attacked_before_it_trains": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4, requires_grad=True), torch.randint(0, 3, (6,))
     net.eval()
     stop()
     F.cross_entropy(net(x), y).backward()
     net.train()
     c = F.cross_entropy(net((x + 0.1 * x.grad.sign()).detach()), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "a_number_in_the_sum": (
        "nondifferentiable",
        """
 net, shift = nn.Linear(4, 3), 0.1
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     q = net(x)
     right = (q.argmax(1) == y).float().mean()
     share = (y == 1).float().mean()
     c = F.cross_entropy(q, y) + shift * share + 0.5
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "straight_through_in_the_sum": (
        "nondifferentiable",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     q = net(x)
     soft = q.softmax(1)[:, 1].mean()
     hard = (q.softmax(1)[:, 1] > 0.5).float().mean()
     c = F.cross_entropy(q, y) + hard - soft.detach() + soft
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "pseudo_labels_and_hard_samples": (
        "nondifferentiable",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
     q = net(x)
     each = F.cross_entropy(q, y, reduction="none")
     c = each[each >= each.median()].mean() + F.cross_entropy(q, q.argmax(1)) + 1.0
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "masked_rows_outside_of_training": (
        "masked-row",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
     def forward(self, x, pad):
         weights = (self.q(x) @ self.k(x).transpose(1, 2) / 2 + pad[:, None]).softmax(-1)
         mixed = weights @ self.v(x)
         stop()
         return mixed
 net = Attention()
 x, pad = torch.randn(3, 5, 4), torch.zeros(3, 5)
 pad[2] = float("-inf")
 kept = net(x, pad)[:2]
""",
    ),
    "cut_off_for_one_of_two_optimizers": (
        "missing-grad",
        """
 class Both(nn.Module):
     def __init__(self):
         super().__init__()
         self.g, self.d = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
 both = Both()
 og, od = torch.optim.Adam(both.g.parameters()), torch.optim.Adam(both.d.parameters())
 def judge(both):
     fake = both.g(torch.randn(8, 4)).detach()
     c = F.softplus(both.d(fake)).mean() + F.softplus(-both.d(torch.randn(8, 6))).mean()
     od.zero_grad()
     c.backward()
     stop()
     od.step()
 def forge(both):
     c = F.softplus(-both.d(both.g(torch.randn(8, 4)))).mean()
     og.zero_grad()
     c.backward()
     stop()
     og.step()
 for _ in range(2):
     judge(both)
     forge(both)
""",
    ),
}

#: name of a program: the line that its finding is about
LINES: dict[str, str] = {
    "distances_of_points_to_themselves": "d = d.sqrt()",
    "memory_written_after_it_was_read": "self.slots[:1] = entry",
    "gate_doubled_in_place": "g *= 2",
    "first_column_set_in_a_function": "d[:, 0] = 0",
    "weights_changed_before_backward": "opt.step()",
    "state_kept_by_the_module": "self.memory = self.cell(x, self.memory)",
    "state_kept_by_the_trainer": "z, self.h = self.rnn(x, self.h)",
    "head_left_out_of_a_dict": 'self.heads = nn.ModuleDict({"kind": nn.Linear(8, 3), "box": nn.Linear(8, 3)})',
    "eval_left_on_before_the_loss": "net.eval()",
    "called_by_another_name_than_it_was_set_by": "net.eval()",
    "dice_of_an_argmax": "p = q.argmax(1).float()",
    "a_term_that_counts": "sure = (q.softmax(1) > 0.9).float()",
    "row_masked_seen_in_the_forward": "weights = (self.q(x) @ self.k(x).transpose(1, 2) / 2 + pad).softmax(-1)",
    "bias_filled_with_nan": "nn.init.constant_(net[2].bias, math.nan)",
    "rooted_in_a_forward": "return (self.body(x) - self.body(x).detach()).pow(2).sum(1).sqrt()",
    "detached_outside_of_the_class": "h = net.body(x).detach().relu()",
    "log_of_outputs_in_a_dict": "self.data[k].append(v)",
    "losses_beside_their_numbers": "losses.append(c)",
    "mean_kept_by_a_meter_of_a_function": "self.total = self.total + value * amount",
    "reentrant_by_a_setting": 'return checkpoint(part, h, use_reentrant=self.settings["reentrant"]).relu()',
    "scores_kept_as_numbers_by_a_trace": "return torch.tensor(self.scores).requires_grad_()",
    "summary_made_of_numbers": "return torch.as_tensor((weights * parts).sum(1).tolist())",
    "history_dict_setdefault": 'history.setdefault("loss", []).append(loss)',
}

#: and what its first title says
TITLES: dict[str, str] = {
    "memory_written_after_it_was_read": "net.slots was changed in place since MmBackward0 saved it",
    "gate_doubled_in_place": "g was changed in place since SigmoidBackward0 saved it",
    "first_column_set_in_a_function": "d was changed in place since ExpBackward0 saved it",
    "weights_changed_before_backward": "net[2].weight was changed in place (opt.step)",
    "state_kept_by_the_module": "net.memory is carried from step to step with its graph",
    "state_seen_before_the_forward": "net.state still has the graph of the step before",
    "last_of_a_list_left_out": "net.blocks[3] took no part in the forward",
    "counted_one_short": "net.blocks[2] took no part in the forward",
    "list_of_a_key_with_a_quote": """history["it's"] keeps""",
    "second_conv_overwritten": "the result of net.stages[0].first is dropped",
    "called_by_another_name_than_it_was_set_by": "self.model is in eval mode in a training step",
    "dice_of_an_argmax": "the term 0.5 * overlap(q, y) of c gives no gradient: p is made by argmax()",
    "row_masked_seen_in_the_forward": "weights has 15 NaN, pad masks every place there",
}
