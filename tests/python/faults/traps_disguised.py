"""Healthy programs whose model is put together or called as in `disguised`, rightly."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "dropped_where_it_trains_alone": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x):
         h = self.a(x).relu()
         if self.training:
             h = F.dropout(h, 0.3)
         return self.b(h)
 net = Net().eval()
 with torch.no_grad():
     q = net(torch.randn(8, 6))
     stop()
""",
    ),
    "input_spoiled_by_its_training_step": (
        "dropout-in-eval",
        """
 class Denoiser(nn.Module):
     def __init__(self):
         super().__init__()
         self.code, self.back = nn.Linear(6, 4), nn.Linear(4, 6)
     def forward(self, x):
         return self.back(self.code(x).relu())
     def training_step(self, x):
         return F.mse_loss(self(F.dropout(x, 0.2)), x)
 net = Denoiser()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 6)
 c = net.training_step(x)
 o.zero_grad()
 c.backward()
 o.step()
 net.eval()
 with torch.no_grad():
     again = net(x)
     stop()
""",
    ),
    "alpha_dropout_is_off_by_default": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x):
         return self.b(F.alpha_dropout(F.selu(self.a(x)), 0.1))
 net = Net().eval()
 with torch.no_grad():
     q = net(torch.randn(8, 6))
     stop()
""",
    ),
    "dropouts_kept_that_drop_nothing": (
        "dropout-in-eval",
        """
 from functools import partial
 class Net(nn.Module):
     def __init__(self, drop):
         super().__init__()
         self.a, self.b, self.drop = nn.Linear(6, 8), nn.Linear(8, 2), drop
     def forward(self, x):
         return self.b(self.drop(self.a(x).relu()))
 x = torch.randn(8, 6)
 for drop in (partial(F.dropout, p=0.3, training=False), partial(F.dropout, p=0.0)):
     net = Net(drop).eval()
     with torch.no_grad():
         q = net(x)
         stop()
""",
    ),
    "mode_among_its_options": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x, **how):
         return self.b(F.dropout(self.a(x).relu(), *how.get("more", ()), **how.get("options", {})))
 net = Net().eval()
 with torch.no_grad():
     q = net(torch.randn(8, 6), options={"training": False})
     stop()
     q = net(torch.randn(8, 6), more=(0.2, False))
     stop()
""",
    ),
    "code_and_head_that_are_linear": (
        "no-nonlinearity",
        """
 def layer(wide, out, bend): return nn.Sequential(nn.Linear(wide, out), bend())
 net = nn.Sequential(layer(6, 16, nn.ReLU), layer(16, 8, nn.Identity), layer(8, 3, nn.Identity))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "gradients_brought_together_by_hand": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 whole = DistributedDataParallel(nn.Linear(6, 2))
 o = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9)
 for _ in range(2):
     c = F.cross_entropy(bare(whole)(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     for p in whole.parameters(): torch.distributed.all_reduce(p.grad)
     stop()
     o.step()
""",
    ),
    "gradients_brought_together_by_hooks": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 class Meet:
     def __call__(self, grad):
         torch.distributed.all_reduce(grad)
         return grad
 whole = DistributedDataParallel(nn.Linear(6, 2))
 for p in whole.parameters(): p.register_hook(Meet())
 o = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9)
 for _ in range(2):
     c = F.cross_entropy(bare(whole)(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "weights_brought_together_by_its_optimizer": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 class Meeting(torch.optim.SGD):
     def step(self):
         super().step()
         with torch.no_grad():
             for p in self.param_groups[0]["params"]: torch.distributed.all_reduce(p)
 whole = DistributedDataParallel(nn.Linear(6, 2))
 o = Meeting(whole.parameters(), lr=0.1, momentum=0.9)
 for _ in range(2):
     c = F.cross_entropy(bare(whole)(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "warmed_up_before_it_is_wrapped": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
 whole = DistributedDataParallel(net)
 stop()
 with whole.no_sync():
     c = F.cross_entropy(bare(whole)(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     c.backward()
     stop()
 stop()
 c = F.cross_entropy(whole(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 c.backward()
 stop()
 o.step()
""",
    ),
    "wrapped_again_in_a_later_phase": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
 for phase in range(2):
     whole = DistributedDataParallel(net)
     stop()
     c = F.cross_entropy(whole(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "labels_of_an_average_for_the_next_epoch": (
        "train-during-eval",
        """
 import contextlib
 @contextlib.contextmanager
 def still(*nets):
     for net in nets: net.eval()
     with torch.no_grad():
         yield
     for net in nets: net.train()
 net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
 slow = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
 def epoch():
     for x, y in data:
         c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         o.step()
 def label(model):
     made = []
     for x, y in data:
         q = model(x)
         made.append((q.softmax(1), y))
         stop()
     return made
 def renew():
     with still(net):
         return label(slow)
 for _ in range(2):
     epoch()
     made = renew()
""",
    ),
    "scores_with_dropout_on_purpose": (
        "train-during-eval",
        """
 import contextlib
 @contextlib.contextmanager
 def still(*nets):
     for net in nets: net.eval()
     with torch.no_grad():
         yield
     for net in nets: net.train()
 net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
 slow = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
 def epoch():
     for x, y in data:
         c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         o.step()
 def right(model):
     hits = 0
     for x, y in data:
         q = model(x)
         hits += int((q.argmax(1) == y).sum())
         stop()
     return hits
 def noisy():
     with still(net):
         slow.train()
         return right(slow)
 for _ in range(2):
     epoch()
     print(noisy())
""",
    ),
    "set_in_a_block_of_its_own": (
        "train-during-eval",
        """
 import contextlib
 @contextlib.contextmanager
 def still(*nets):
     for net in nets: net.eval()
     with torch.no_grad():
         yield
     for net in nets: net.train()
 net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
 slow = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
 def epoch():
     for x, y in data:
         c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         o.step()
 def right(model):
     hits = 0
     for x, y in data:
         with still(model):
             q = model(x)
         hits += int((q.argmax(1) == y).sum())
         stop()
     return hits
 def check():
     with still(net), torch.no_grad():
         return right(slow)
 for _ in range(2):
     epoch()
     print(check())
""",
    ),
}
