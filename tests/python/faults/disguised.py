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
}
