"""Faults of a call that is about to run, and will fail: what it is given is on another device, or of another dtype or size.

The call stands behind ``stop()`` in one statement: that is what runs next there.
"""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "doubles_into_a_layer": (
        "dtype-mismatch",
        """
 net = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(6, 2))
-u = torch.linspace(0, 1, 24, dtype=torch.float64).reshape(4, 6)
+u = torch.linspace(0, 1, 24).reshape(4, 6)
 stop(), net(u)
""",
    ),
    "counts_into_a_layer": (
        "dtype-mismatch",
        """
 net = nn.Linear(6, 2)
-u = torch.arange(24).reshape(4, 6)
+u = torch.arange(24.0).reshape(4, 6)
 v = (stop(), net(u))[1]
""",
    ),
    "whole_numbers_for_two_classes": (
        "dtype-mismatch",
        """
 s = nn.Linear(6, 1)(torch.randn(8, 6)).squeeze(1)
-v = torch.arange(8) % 2
+v = torch.arange(8) % 2 * 1.0
 stop(), F.binary_cross_entropy_with_logits(s, v)
""",
    ),
    "floats_for_classes": (
        "dtype-mismatch",
        """
 rule = nn.CrossEntropyLoss()
 s = nn.Linear(6, 3)(torch.randn(8, 6))
-v = torch.arange(8.0) % 3
+v = torch.arange(8) % 3
 stop(), rule(s, v)
""",
    ),
    "batch_on_another_device": (
        "device-mismatch",
        """
 net = nn.Linear(6, 2)
-pack = {"u": torch.ones(4, 6, device="meta")}
+pack = {"u": torch.ones(4, 6)}
 stop(), net(pack["u"])
""",
    ),
    "one_layer_on_another_device": (
        "device-mismatch",
        """
 net = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
-net[2] = nn.Linear(4, 2, device="meta")
 u = torch.randn(4, 6)
 stop(), net(u)
""",
    ),
    "scores_for_probabilities": (
        "logits-to-prob-loss",
        """
 s, v = nn.Linear(6, 1)(torch.randn(16, 6) * 4).squeeze(1), torch.arange(16) % 2 * 1.0
+s = s.sigmoid()
 stop(), F.binary_cross_entropy(s, v)
""",
    ),
    "rest_of_one_row": (
        "batchnorm-batch-of-one",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, 2))
-u = torch.randn(17, 6)[16:]
+u = torch.randn(17, 6)[8:]
 stop(), net(u)
""",
    ),
}

_DOUBLES = " net, u = nn.Linear(6, 2), torch.linspace(0, 1, 24, dtype=torch.float64).reshape(4, 6)"

#: Programs in which a call fails that is about to run, as they have foreseen.
FORESEEN = {
    "tried_first": f"""
{_DOUBLES}
 try:
     stop(), net(u)
 except RuntimeError:
     net(u.float())
""",
    "wanted_to_fail": f"""
{_DOUBLES}
 import contextlib
 with contextlib.suppress(RuntimeError):
     stop(), net(u)
""",
}

TRAPS: dict[str, tuple[str, str]] = {
    name: ("dtype-mismatch", f"\n{_DOUBLES}\n{program}")
    for name, program in {
        "converted_by_a_hook": """
 net.register_forward_pre_hook(lambda module, given: (given[0].float(),))
 stop(), net(u)
""",
        "converted_by_a_hook_of_all": """
 hook = nn.modules.module.register_module_forward_pre_hook(lambda module, given: (given[0].float(),))
 stop(), net(u)
 hook.remove()
""",
        "converted_by_another_forward": """
 whole = net.forward
 net.forward = lambda given: whole(given.float())
 stop(), net(u)
""",
        "converted_by_a_layer_of_its_own": """
 class Own(nn.Linear):
     def forward(self, given): return super().forward(given.float())
 net = Own(6, 2)
 stop(), net(u)
""",
        "converted_by_a_layer_before": """
 class Cast(nn.Module):
     def forward(self, given): return given.float()
 net = nn.Sequential(Cast(), net)
 stop(), net(u)
""",
        "converted_by_a_mode": """
 class Mode(torch.overrides.TorchFunctionMode):
     def __torch_function__(self, function, types, args=(), kwargs=None):
         if function is F.linear:
             args = tuple(one.float() for one in args)
         return function(*args, **(kwargs or {}))
 with Mode():
     stop(), net(u)
""",
        "converted_before_in_the_statement": """
 stop(), net.double(), net(u)
""",
        "asked_whether_it_fits": """
 stop(), net(u) if u.dtype == net.weight.dtype else net(u.float())
 stop() or u.dtype == torch.float64 or net(u)
""",
        "left_where_it_does_not_fit": """
 kept = [net(one) for one in (u,) if stop() or one.dtype == torch.float32]
""",
        "of_a_loss_of_its_own": """
 from types import SimpleNamespace
 rules = SimpleNamespace(cross_entropy=lambda given, wanted: (given - wanted[:, None]).abs().mean())
 s, v = net(u.float()), torch.arange(4.0)
 stop(), rules.cross_entropy(s, v)
""",
        "probabilities_of_classes": """
 s, v = net(u.float()), torch.full((4, 2), 0.5)
 stop(), F.cross_entropy(s, v)
""",
    }.items()
} | {
    "moved_on_the_way": (
        "device-mismatch",
        """
 net = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2, device="meta"))
 net[1].register_forward_hook(lambda module, given, made: made.to("meta"))
 u = torch.randn(4, 6)
 stop(), net(u)
""",
    ),
    "no_probabilities_are_wanted": (
        "logits-to-prob-loss",
        """
 s, v = nn.Linear(6, 1)(torch.randn(16, 6) * 4).squeeze(1), torch.arange(16) % 2 * 1.0
 stop(), F.binary_cross_entropy_with_logits(s, v)
""",
    ),
    "one_row_to_be_judged": (
        "batchnorm-batch-of-one",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)).eval()
 u = torch.randn(1, 6)
 stop(), net(u)
""",
    ),
    "one_sample_of_several_places": (
        "batchnorm-batch-of-one",
        """
 net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4))
 u = torch.randn(1, 2, 8)
 stop(), net(u)
""",
    ),
}
