"""Faults that resemble what is done on purpose: see `traps_purpose`."""

from __future__ import annotations

_HEADLESS = """
 net, head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)
{before}-o = torch.optim.SGD(net.parameters(), lr=0.1)
+o = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
 for _ in range(3):
     x = torch.randn(8, 6)
     {made}
     out = head(net(x))
     loss = {loss}
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
"""


def _headless(loss: str, made: str = "t = torch.randn(8, 3)", before: str = "") -> tuple[str, str]:
    """A program that forgets the head of a model, by which error."""
    return "param-not-in-optimizer", _HEADLESS.format(made=made, loss=loss, before=before)


_LABELS = "y = torch.randint(0, 3, (8,))"

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "headless_by_absolute_errors": _headless("F.l1_loss(out, t)"),
    "headless_by_an_l1_module": _headless("rule(out, t)", before=" rule = nn.L1Loss()\n"),
    "headless_by_divergence": _headless(
        'F.kl_div(F.log_softmax(out, 1), t, reduction="batchmean")', "t = torch.randn(8, 3).softmax(1)"
    ),
    "headless_by_soft_labels": _headless("F.cross_entropy(out, t)", "t = torch.randn(8, 3).softmax(1)"),
    "headless_by_margins": _headless("F.multi_margin_loss(out, y)", _LABELS),
    "headless_by_picked_likelihoods": _headless("-F.log_softmax(out, 1).gather(1, y[:, None]).mean()", _LABELS),
    "headless_by_a_function": _headless(
        "mine(out, t)", before=" def mine(a, b):\n     return (a - b).square().mean()\n"
    ),
    "headless_under_a_mask": _headless(
        "((out - t).square() * keep).mean()", "t = torch.randn(8, 3); keep = (torch.rand(8, 3) > 0.5).float()"
    ),
    "headless_by_likelihoods_by_hand": _headless(
        "-(hot * F.log_softmax(out, 1)).sum(1).mean()", f"{_LABELS}; hot = F.one_hot(y, 3).float()"
    ),
    "headless_by_halves_of_an_error": _headless(
        "(hot * F.softplus(-out) + (1 - hot) * F.softplus(out)).mean()", "hot = (torch.rand(8, 3) > 0.5).float()"
    ),
    "headless_by_a_method": _headless("out.sub(t).square().mean()"),
    "headless_on_a_device_asked_for": _headless(
        "F.cross_entropy(out, y.to(d))", f"d = next(head.parameters()).device; {_LABELS}"
    ),
    "headless_where_the_model_has_the_loss": (
        "param-not-in-optimizer",
        """
 class M(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)
     def forward(self, x, y):
         return F.cross_entropy(self.head(self.body(x)), y)
 m = M()
-o = torch.optim.SGD(m.body.parameters(), lr=0.1)
+o = torch.optim.SGD(m.parameters(), lr=0.1)
 for _ in range(3):
     loss = m(torch.randn(8, 6), torch.randint(0, 3, (8,)))
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "headless_all_in_eval_mode": (
        "param-not-in-optimizer",
        """
 net, head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()).eval(), nn.Linear(8, 3).eval()
-o = torch.optim.SGD(net.parameters(), lr=0.1)
+o = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
 for _ in range(3):
     loss = F.cross_entropy(head(net(torch.randn(8, 6))), torch.randint(0, 3, (8,)))
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "headless_beside_a_new_start_not_taken": (
        "param-not-in-optimizer",
        """
 net, head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 3)
-o = torch.optim.SGD(net.parameters(), lr=0.1)
+o = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
 for turn in range(3):
     loss = F.cross_entropy(head(net(torch.randn(8, 6))), torch.randint(0, 3, (8,)))
     o.zero_grad()
     loss.backward()
     o.step()
     if turn > 5:
         o = torch.optim.SGD(net.parameters(), lr=0.01)
     stop()
""",
    ),
    "stale_beside_a_new_start_not_taken": (
        "optimizer-stale-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 for turn in range(3):
     loss = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     loss.backward()
     o.step()
     if turn > 5:
         o = torch.optim.SGD(net.parameters(), lr=0.01)
     stop()
""",
    ),
    "climbs_on_a_device_asked_for": (
        "loss-sign",
        """
 model = nn.Linear(6, 3)
 o = torch.optim.SGD(model.parameters(), lr=0.1)
 d = next(model.parameters()).device
 for _ in range(2):
     a, b = torch.randn(8, 6), torch.randint(0, 3, (8,))
     b = b.to(d)
-    loss = -F.cross_entropy(model(a), b)
+    loss = F.cross_entropy(model(a), b)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "climbs_beside_what_a_model_made": (
        "loss-sign",
        """
 model = nn.Linear(6, 3)
 old = copy.deepcopy(model).requires_grad_(False)
 o = torch.optim.SGD(model.parameters(), lr=0.1)
 for _ in range(2):
     a, b = torch.randn(8, 6), torch.randn(8, 3)
     away = F.mse_loss(model(a).detach(), old(a))
-    loss = -F.mse_loss(model(a), b)
+    loss = F.mse_loss(model(a), b)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "climbs_from_what_it_had_learnt": (
        "loss-sign",
        """
 net = nn.Linear(3, 3)
 net.load_state_dict({"weight": 8 * torch.eye(3), "bias": torch.zeros(3)})
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for _ in range(2):
     x = torch.randn(16, 3)
     y = x.argmax(1)
-    loss = -F.cross_entropy(net(x), y)
+    loss = F.cross_entropy(net(x), y)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "climbs_under_a_mask": (
        "loss-sign",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=1e-2)
 for _ in range(2):
     x, y = torch.randn(64, 6), torch.randint(0, 2, (64, 2)).float()
     mask = (torch.rand(64, 2) < 0.3).float()
-    loss = -F.binary_cross_entropy_with_logits(net(x), y, weight=mask)
+    loss = F.binary_cross_entropy_with_logits(net(x), y, weight=mask)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "climbs_where_ones_weigh_little": (
        "loss-sign",
        """
 def started(k, x, y):
     z = torch.optim.SGD(k.parameters(), lr=1e-2)
     c = F.binary_cross_entropy_with_logits(k(x), y)
     c.backward()
     z.step()
 x, y = torch.randn(64, 6), torch.randint(0, 2, (64, 2)).float()
 started(nn.Linear(6, 2), x, y)
 started(nn.Linear(6, 2), x, y)
 net, rule = nn.Linear(6, 2), nn.BCEWithLogitsLoss(pos_weight=torch.full((2,), 0.05))
 o = torch.optim.SGD(net.parameters(), lr=1e-2)
 for _ in range(2):
     x, y = torch.randn(64, 6), (torch.rand(64, 2) < 0.8).float()
-    loss = -rule(net(x), y)
+    loss = rule(net(x), y)
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "halves_of_a_batch_alike": (
        "target-requires-grad",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     x = torch.randn(8, 6)
     z1, z2 = net(torch.cat([x, x + 0.1 * torch.randn(8, 6)])).chunk(2)
-    loss = F.mse_loss(z1, z2)
+    loss = F.mse_loss(z1, z2.detach())
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
    "alike_by_shared_weights": (
        "target-requires-grad",
        """
 v, g = nn.Parameter(torch.randn(4, 6)), nn.Parameter(torch.ones(4, 1))
 o = torch.optim.Adam([v, g], lr=1e-3)
 for _ in range(3):
     x = torch.randn(8, 6)
     w = g * v / v.norm(dim=1, keepdim=True)
     one, other = F.linear(x, w), F.linear(x + 0.1 * torch.randn(8, 6), w)
-    loss = F.mse_loss(one, other)
+    loss = F.mse_loss(one, other.detach())
     o.zero_grad()
     loss.backward()
     stop()
     o.step()
""",
    ),
}
