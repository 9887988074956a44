"""Faults of which a backward has hidden the trace, or that stand in the source alone; and what only looks like them."""

from __future__ import annotations

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "deviation_of_one_return": (
        "std-of-one",
        """
 p = nn.Linear(4, 2)
 o = torch.optim.Adam(p.parameters())
-n = 1
+n = 6
 lp, r = torch.distributions.Categorical(logits=p(torch.randn(n, 4))).log_prob(torch.zeros(n)), torch.rand(n)
 gain = (r - r.mean()) / (r.std() + 1e-8)
 c = -(lp * gain).mean()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "nan_after_backward": (
        "nan-origin",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.Adam(net.parameters())
 q = net(torch.randn(5, 4))
-share = (q - q.detach()) / (q - q.detach()).abs().sum()
+share = q / q.abs().sum()
 c = (share * torch.randn(5, 2)).sum()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "ignored_in_another_shape": (
        "all-targets-ignored",
        """
 net = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
 o = torch.optim.AdamW(net.parameters())
 ids = torch.randint(0, 20, (3, 6))
 marks = ids.clone()
-marks[:] = -100
+marks[:, ::2] = -100
 q = net(ids)
 c = F.cross_entropy(q.view(-1, 20), marks.view(-1))
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "code_taken_as_data": (
        "missing-grad",
        """
 class Coder(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.place, self.back = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(3, 6)
     def code(self, x):
         return self.place(torch.tanh(self.body(x)))
     def forward(self, x):
         k = self.code(x)
-        noisy = (k + torch.randn_like(k)).data
+        noisy = k + torch.randn_like(k)
         return self.back(noisy), k.shape
 net = Coder()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     out, size = net(x)
     c = F.mse_loss(out, x)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_made_in_a_method_of_forward": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.top = nn.Linear(6, 8), nn.Linear(8, 3)
     def judge(self, h):
-        return nn.Linear(8, 3)(h)
+        return self.top(h)
     def forward(self, x): return self.judge(self.body(x).relu())
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
    "block_of_its_own_made_in_each_forward": (
        "unregistered-params",
        """
 class Block(nn.Module):
     def __init__(self, size):
         super().__init__()
         self.inner = nn.Linear(size, 3)
     def forward(self, h): return self.inner(h.relu())
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(6, 8)
+        self.block = Block(8)
     def forward(self, x):
-        block = Block(8)
-        return block(self.body(x))
+        return self.block(self.body(x))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "checkpoint_of_a_function": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 body, more, top = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 2)
 o = torch.optim.SGD([*body.parameters(), *more.parameters(), *top.parameters()], lr=0.1)
 def trunk(x): return more(body(x).relu()).relu()
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
-    h = checkpoint(trunk, x, use_reentrant=True)
+    h = checkpoint(trunk, x, use_reentrant=False)
     c = F.cross_entropy(top(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "checkpoint_by_another_name": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint as saved
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.trunk, self.top = nn.Linear(6, 8), nn.Linear(8, 2)
     def forward(self, x):
-        return self.top(saved(self.trunk, x, use_reentrant=True).relu())
+        return self.top(saved(self.trunk, x, use_reentrant=False).relu())
 net = Deep()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "numbers_added_to_a_new_leaf": (
        "loss-rewrapped",
        """
 def total(q, y):
-    whole = torch.zeros((), requires_grad=True)
+    whole = torch.zeros(())
     for one, wanted in zip(q, y):
-        whole = whole + F.mse_loss(one, wanted).item()
+        whole = whole + F.mse_loss(one, wanted)
     return whole
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = total(net(torch.randn(8, 6)), torch.randn(8, 3))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "losses_kept_with_their_numbers": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = []
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
-    kept.append((k, c))
+    kept.append((k, c.item()))
     stop()
""",
    ),
    "losses_kept_in_dicts": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = []
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
-    kept.append({"round": k, "loss": c})
+    kept.append({"round": k, "loss": c.item()})
     stop()
""",
    ),
    "losses_kept_by_their_rounds": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = {}
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
-    kept[k] = c
+    kept[k] = c.item()
     stop()
""",
    ),
    "losses_joined_to_a_list": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = []
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
-    kept += [c]
+    kept += [c.item()]
     stop()
""",
    ),
    "losses_joined_to_a_new_list": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = []
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
-    kept = kept + [c]
+    kept = kept + [c.item()]
     stop()
""",
    ),
    "checkpoint_of_raw_inputs": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.trunk, self.top = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 2)
     def forward(self, x):
-        return self.top(checkpoint(self.trunk, x, use_reentrant=True))
+        return self.top(checkpoint(self.trunk, x, use_reentrant=False))
 net = Deep()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sum_of_rewrapped_parts": (
        "loss-rewrapped",
        """
 body, left, right = nn.Linear(6, 8), nn.Linear(8, 1), nn.Linear(8, 3)
 o = torch.optim.Adam([*body.parameters(), *left.parameters(), *right.parameters()])
 x, u, v = torch.randn(9, 6), torch.randn(9), torch.randint(0, 3, (9,))
 h = torch.tanh(body(x))
 a = F.mse_loss(left(h).squeeze(-1), u)
 b = F.cross_entropy(right(h), v)
-c = torch.tensor([a, 0.3 * b], requires_grad=True).sum()
+c = torch.stack([a, 0.3 * b]).sum()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "choice_over_the_batch": (
        "softmax-wrong-dim",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
 o = torch.optim.Adam(net.parameters())
 s, a, w = torch.randn(12, 4), torch.randint(0, 3, (12, 1)), torch.randn(12)
-p = net(s).softmax(0)
+p = net(s).softmax(1)
 c = -(p.gather(1, a).squeeze(1).log() * w).mean()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "rate_in_integers": (
        "lr-zero",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-d = torch.optim.lr_scheduler.LambdaLR(o, lambda k: (20 - k) // 20)
+d = torch.optim.lr_scheduler.LambdaLR(o, lambda k: (20 - k) / 20)
 for _ in range(3):
     c = net(torch.randn(8, 4)).square().mean()
     o.zero_grad()
     c.backward()
     o.step()
     d.step()
     stop()
""",
    ),
    "clipped_by_a_setting_of_nothing": (
        "step-without-grads",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3))
 o = torch.optim.AdamW(net.parameters(), lr=1e-3)
-settings = {"most": 0.0}
+settings = {"most": 1.0}
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=settings["most"])
     stop()
     o.step()
""",
    ),
    "fading_by_whole_numbers": (
        "lr-zero",
        """
 def share(k):
     if k == 0:
         return 1.0
-    return 4 // (k + 4)
+    return 4 / (k + 4)
 net = nn.Linear(4, 1)
 o = torch.optim.Adam(net.parameters(), lr=0.01)
 d = torch.optim.lr_scheduler.LambdaLR(o, lr_lambda=share)
 for _ in range(3):
     c = net(torch.randn(8, 4)).square().mean()
     o.zero_grad()
     c.backward()
     o.step()
     d.step()
     stop()
""",
    ),
    "gradients_on_in_the_other_part": (
        "grad-mode-off",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 parts = {"fit": 2, "check": 1}
 for part in parts:
     fits = part == "fit"
     for _ in range(parts[part]):
         x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
         o.zero_grad()
-        with torch.set_grad_enabled(not fits):
+        with torch.set_grad_enabled(fits):
             c = F.cross_entropy(net(x), y)
         stop()
         if fits:
             if c.requires_grad: c.backward()
             o.step()
""",
    ),
    "scaled_leaves_in_a_loop": (
        "non-leaf-grad",
        """
-a = torch.randn(4, 6, requires_grad=True) * 0.2
+a = (torch.randn(4, 6) * 0.2).requires_grad_()
 b = torch.zeros(6, requires_grad=True)
 x, y = torch.randn(8, 4), torch.randint(0, 6, (8,))
 c = F.cross_entropy(x @ a + b, y)
 c.backward()
 stop()
 with torch.no_grad():
     for k in (a, b):
         if k.grad is not None:
             k -= 0.1 * k.grad
""",
    ),
    "compared_with_itself_detached": (
        "target-is-prediction",
        """
 net = nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 6))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     out = net(x)
-    goal = out.detach()
+    goal = x.detach()
     c = F.mse_loss(out, goal)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
    "as_many_words_as_tags": (
        "class-dim",
        """
 words, rnn, tag = nn.Embedding(30, 8), nn.LSTM(8, 6, batch_first=True), nn.Linear(6, 5)
 o = torch.optim.Adam([*words.parameters(), *rnn.parameters(), *tag.parameters()])
 s, t = torch.randint(0, 30, (4, 5)), torch.randint(0, 5, (4, 5))
 q = tag(rnn(words(s))[0])
-c = F.cross_entropy(q, t)
+c = F.cross_entropy(q.transpose(1, 2), t)
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "step_only_named": (
        "weights-unchanged",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
-    o.step
+    o.step()
     stop()
""",
    ),
    "chosen_hard_on_the_way": (
        "graph-cut",
        """
 first, last = nn.Linear(6, 4), nn.Linear(4, 2)
 o = torch.optim.Adam([*first.parameters(), *last.parameters()])
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
 h = first(x)
-code = F.one_hot(h.argmax(1), 4).float()
+code = h.softmax(1)
 c = F.cross_entropy(last(code), y)
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
}

#: name: the rule that must say nothing, program
TRAPS: dict[str, tuple[str, str]] = {
    "second_output_that_nobody_uses": (
        "graph-cut",
        """
 class Encoder(nn.Module):
     def __init__(self):
         super().__init__()
         self.words, self.pooler = nn.Embedding(20, 8), nn.Sequential(nn.Linear(8, 8), nn.Tanh())
     def forward(self, ids):
         h = self.words(ids)
         return h, self.pooler(h[:, 0])
 net, top = Encoder(), nn.Linear(8, 2)
 o = torch.optim.AdamW([*net.parameters(), *top.parameters()])
 for _ in range(2):
     h, _ = net(torch.randint(0, 20, (4, 5)))
     c = F.cross_entropy(top(h.mean(1)), torch.randint(0, 2, (4,)))
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
    "second_output_that_joins_later": (
        "graph-cut",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.main, self.side = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 3)
     def forward(self, x):
         h = self.body(x).relu()
         return self.main(h), self.side(h)
 net = Two()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     out, aux = net(x)
     c = F.cross_entropy(out, y) / aux.size(0)
     stop()
     c = c + 0.4 * F.cross_entropy(aux, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "detached_beside_an_unused_pooler": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.pooler, self.top = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 2)
         self.seen = None
     def forward(self, x, pooled=False):
         h = self.body(x).relu()
         self.seen = h.detach().norm()
         if pooled:
             h = torch.tanh(self.pooler(h))
         return self.top(h)
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rate_in_steps": (
        "lr-zero",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 d = torch.optim.lr_scheduler.LambdaLR(o, lambda k: 0.5 ** (k // 2) if k else 0.0)
 for _ in range(3):
     stop()
     c = net(torch.randn(8, 4)).square().mean()
     o.zero_grad()
     c.backward()
     o.step()
     d.step()
""",
    ),
    "deviation_that_is_replaced": (
        "std-of-one",
        """
 p = nn.Linear(4, 2)
 o = torch.optim.Adam(p.parameters())
 r = torch.rand(1)
 spread = r.std()
 if torch.isnan(spread):
     spread = torch.ones(())
 gain = (r - r.mean()) / spread
 c = -(p(torch.randn(1, 4)).log_softmax(1)[:, 0] * (gain + 1)).mean()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "attention_over_instances": (
        "softmax-wrong-dim",
        """
 score, top = nn.Linear(6, 1), nn.Linear(6, 3)
 o = torch.optim.Adam([*score.parameters(), *top.parameters()])
 bag, y = torch.randn(7, 6), torch.tensor([1])
 w = score(bag).softmax(0)
 q = top((w * bag).sum(0, keepdim=True)).log_softmax(1)
 c = -q.gather(1, y[:, None]).mean()
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "compared_with_a_teacher_of_the_same_shape": (
        "target-is-prediction",
        """
 net = nn.Linear(6, 6)
 old = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 6)
     out, goal = net(x), old(x + 0.1).detach()
     c = F.mse_loss(out, goal)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
}
