"""Faults in how a model is put together or called that its own lines do not show: a default, a slot, a wrapper, a caller."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "thinned_by_what_it_keeps": (
        "dropout-in-eval",
        """
 from functools import partial
 class Mix(nn.Module):
     def __init__(self):
         super().__init__()
         self.first, self.last = nn.Conv2d(2, 4, 3), nn.Linear(4, 2)
         self.thin = partial(nn.functional.dropout2d, inplace=False)
     def features(self, x):
-        return self.thin(self.first(x).relu(), 0.4).mean((2, 3))
+        return self.thin(self.first(x).relu(), 0.4, self.training).mean((2, 3))
     def forward(self, x):
         return self.last(self.features(x))
 net = Mix()
 net.train(False)
 with torch.inference_mode():
     out = net(torch.randn(6, 2, 5, 5))
     stop()
""",
    ),
    "drops_by_a_function_it_was_given": (
        "dropout-in-eval",
        """
 class Thin(nn.Module):
     def __init__(self, how):
         super().__init__()
         self.last, self.how = nn.Linear(6, 2), how
     def forward(self, x):
         return self.last(self.how(x))
-net = Thin(F.dropout).eval()
+net = Thin(nn.Dropout(0.5)).eval()
 with torch.no_grad():
     out = net(torch.randn(6, 6))
     stop()
""",
    ),
    "places_that_nothing_takes": (
        "no-nonlinearity",
        """
 class Layer(nn.Module):
     def __init__(self, wide, out, bend):
         super().__init__()
         self.mix, self.bend = nn.Linear(wide, out), bend()
     def forward(self, x):
         return self.bend(self.mix(x))
-bends = {"gelu": nn.GELU}.get("GELU", nn.Identity)
+bends = {"gelu": nn.GELU}.get("gelu", nn.Identity)
 net = nn.Sequential(Layer(5, 12, bends), Layer(12, 12, bends), Layer(12, 2, nn.Identity))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 5)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "unwrapped_by_a_helper": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 def bare(whole): return getattr(whole, "module", whole)
 whole = DistributedDataParallel(nn.Linear(6, 2))
 o = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9)
 for k in range(3):
-    q = bare(whole)(torch.randn(8, 6))
+    q = whole(torch.randn(8, 6))
     c = F.cross_entropy(q, torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     if k == 2:
         stop()
     o.step()
""",
    ),
    "average_left_out_of_the_evaluation": (
        "train-during-eval",
        """
 import contextlib
 @contextlib.contextmanager
 def still(net):
     before = net.training
     net.train(False)
     with torch.inference_mode():
         yield
     net.train(before)
 class Run:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
         self.slow = copy.deepcopy(self.net)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def epoch(self, data):
         for x, y in data:
             c = F.cross_entropy(self.net(x), y)
             self.o.zero_grad()
             c.backward()
             self.o.step()
         for a, b in zip(self.slow.parameters(), self.net.parameters()): a.data.lerp_(b.data, 0.5)
     def right(self, model, data):
         hits = 0
         for x, y in data:
             q = model(x)
             hits += int((q.argmax(1) == y).sum())
             stop()
         return hits
     def check(self, data):
-        with still(self.net):
+        with still(self.net), still(self.slow):
             return self.right(self.slow, data)
 run = Run()
 data = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
 for _ in range(2):
     run.epoch(data)
     print(run.check(data))
""",
    ),
}
