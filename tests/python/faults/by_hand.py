"""Faults in what programs do by hand: a ReLU, a sum of losses, a batch in parts."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "rectified_by_a_product": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
-with torch.no_grad(): a.bias.fill_(-50.0)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     h = h * (h > 0)
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rectified_by_a_maximum": (
        "dead-relu",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.conv, self.head = nn.Conv2d(1, 8, 3), nn.Linear(8 * 36, 3)
-        self.conv.bias.data -= 30
     def forward(self, x):
         h = self.conv(x)
         h = torch.maximum(h, torch.zeros_like(h))
         return self.head(h.flatten(1))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rectified_by_a_choice": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
-with torch.no_grad(): a.bias.fill_(-50.0)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     h = torch.where(h > 0, h, 0.0)
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "rectified_in_place": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
-with torch.no_grad(): a.bias.fill_(-50.0)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     h[h < 0] = 0
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rectified_by_a_threshold": (
        "dead-relu",
        """
 a, b = nn.Linear(6, 16), nn.Linear(16, 3)
-with torch.no_grad(): a.bias.fill_(-50.0)
 o = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     h = a(x)
     h = F.threshold(h, 0.0, 0.0)
     c = F.cross_entropy(b(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rectified_with_weights_by_hand": (
        "dead-relu",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.w1, self.b1 = nn.Parameter(torch.randn(6, 16) * 0.1), nn.Parameter(torch.zeros(16))
         self.w2, self.b2 = nn.Parameter(torch.randn(16, 3) * 0.1), nn.Parameter(torch.zeros(3))
-        nn.init.constant_(self.b1, -9.0)
     def forward(self, x):
         h = x @ self.w1 + self.b1
         return (h * (h > 0)) @ self.w2 + self.b2
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "only_norms_of_instances_are_trained": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
-for m in net.modules():
-    if isinstance(m, (nn.Linear, nn.Conv2d)): m.requires_grad_(False)
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(16, 3, 8, 8), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cut_at_the_end_of_a_long_chain": (
        "graph-cut",
        """
 def features(net, x):
     h = net(x).relu().abs().add(1).log().sqrt().exp().sin().cos().tanh().neg().sigmoid().add(1).mul(2).div(3).sub(1)
-    return h.float().double().float().abs().exp().tanh().sin().cos().neg().square().add(1).log().relu().detach()
+    return h.float().double().float().abs().exp().tanh().sin().cos().neg().square().add(1).log().relu()
 net, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(head(features(net, x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "numbers_of_a_list_in_the_sum": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     main = F.cross_entropy(heads[0](z), ys[0])
-    extra = [F.cross_entropy(h(z), y).item() for h, y in zip(heads[1:], ys[1:])]
+    extra = [F.cross_entropy(h(z), y) for h, y in zip(heads[1:], ys[1:])]
     c = main + sum(extra)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "numbers_of_a_generator_in_the_sum": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     main = F.cross_entropy(heads[0](z), ys[0])
-    c = main + 0.5 * sum(F.cross_entropy(h(z), y).detach() for h, y in zip(heads[1:], ys[1:]))
+    c = main + 0.5 * sum(F.cross_entropy(h(z), y) for h, y in zip(heads[1:], ys[1:]))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "numbers_added_in_a_loop": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     c = F.cross_entropy(heads[0](z), ys[0])
     for h, y in zip(heads[1:], ys[1:]):
-        c = c + F.cross_entropy(h(z), y).item()
+        c = c + F.cross_entropy(h(z), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "terms_put_in_a_list_without_a_graph": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     terms = [F.cross_entropy(heads[0](z), ys[0])]
     for h, y in zip(heads[1:], ys[1:]):
-        terms.append(F.cross_entropy(h(z), y).detach())
+        terms.append(F.cross_entropy(h(z), y))
     c = torch.stack(terms).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "terms_of_a_list_under_no_grad": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     terms = [F.cross_entropy(heads[0](z), ys[0])]
     for h, y in zip(heads[1:], ys[1:]):
-        with torch.no_grad():
-            terms.append(F.cross_entropy(h(z), y))
+        terms.append(F.cross_entropy(h(z), y))
     c = sum(terms)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "features_cut_in_a_list": (
        "graph-cut",
        """
 body, heads = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (3, 16))
     z = body(x)
     terms = []
     for h, y in zip(heads, ys):
-        terms.append(F.cross_entropy(h(z.detach()), y))
+        terms.append(F.cross_entropy(h(z), y))
     c = sum(terms)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "terms_summed_in_a_function": (
        "graph-cut",
        """
 net, top = nn.Sequential(nn.Linear(6, 16), nn.Tanh()), nn.ModuleList(nn.Linear(16, 3) for _ in range(3))
 o = torch.optim.Adam([*net.parameters(), *top.parameters()], lr=1e-2)
 def total(z, ys):
     out = []
     for h, y in zip(top, ys):
-        out.append(F.cross_entropy(h(z), y).detach())
+        out.append(F.cross_entropy(h(z), y))
     return sum(out)
 for _ in range(2):
     x, ys = torch.randn(16, 6), torch.randint(0, 3, (4, 16))
     z = net(x)
     main = F.cross_entropy(top[0](z), ys[3])
     c = main + 0.3 * total(z, ys)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "deep_outputs_as_numbers": (
        "graph-cut",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.blocks = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
         self.outs = nn.ModuleList(nn.Linear(8, 3) for _ in range(3))
     def forward(self, x):
         found = []
         for block, out in zip(self.blocks, self.outs):
             x = torch.tanh(block(x))
             found.append(out(x))
         return found
 net = Net()
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(2):
     x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))
     found = net(x)
-    c = F.cross_entropy(found[-1], y) + sum(F.cross_entropy(q, y).item() for q in found[:-1])
+    c = F.cross_entropy(found[-1], y) + sum(F.cross_entropy(q, y) for q in found[:-1])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_in_each_part": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
+o.zero_grad()
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
-    o.zero_grad()
     c = F.cross_entropy(net(x), y) / k
     c.backward()
     stop()
     if (i + 1) % k == 0:
         o.step()
+        o.zero_grad()
""",
    ),
    "cleared_after_each_part": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 for i in range(9):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     (c / k).backward()
     stop()
     if (i + 1) % k == 0:
         o.step()
-    o.zero_grad()
+        o.zero_grad()
""",
    ),
    "cleared_in_the_inner_loop": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 k = 4
 for e in range(3):
+    o.zero_grad()
     for i in range(k):
         x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
-        o.zero_grad()
         c = F.cross_entropy(net(x), y) / k
         c.backward()
         stop()
     o.step()
""",
    ),
    "cleared_in_each_part_by_a_trainer": (
        "step-without-grads",
        """
 class Loop:
     def __init__(self, k):
         self.net, self.every = nn.Linear(6, 3), k
         self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
     def micro(self, i, x, y):
-        self.opt.zero_grad()
         c = F.cross_entropy(self.net(x), y) / self.every
         c.backward()
         stop()
         if (i + 1) % self.every == 0:
             self.opt.step()
+            self.opt.zero_grad()
 t = Loop(3)
 for i in range(7):
     t.micro(i, torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "body_left_out_beside_an_attack_by_hand": (
        "param-not-in-optimizer",
        """
 body, head = nn.Linear(4, 8), nn.Linear(8, 2)
-o = torch.optim.Adam(head.parameters())
+o = torch.optim.Adam([*body.parameters(), *head.parameters()])
 x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
 for _ in range(2):
     near = x.clone().requires_grad_()
     F.cross_entropy(head(body(near).relu()), y).backward()
     near.data += 0.1 * near.grad.sign()
     d = F.cross_entropy(head(body(near.detach()).relu()), y)
     o.zero_grad()
     d.backward()
     stop()
     o.step()
""",
    ),
    "body_left_out_beside_a_weight_moved_by_hand": (
        "param-not-in-optimizer",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self.scale = nn.Linear(4, 8), nn.Linear(8, 2), nn.Parameter(torch.ones(1))
     def forward(self, x): return self.scale * self.head(self.body(x).relu())
 net = Net()
-o = torch.optim.Adam(net.head.parameters())
+o = torch.optim.Adam([*net.body.parameters(), *net.head.parameters()])
 x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
 for _ in range(2):
     d = F.cross_entropy(net(x), y)
     net.zero_grad()
     d.backward()
     stop()
     o.step()
     net.scale.data -= 0.1 * net.scale.grad
""",
    ),
}
