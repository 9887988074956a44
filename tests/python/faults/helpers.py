"""Faults that stand in the helpers of a step, as a method that clears all optimizers or an engine that scales; and what
only looks like them."""

from __future__ import annotations

_TURN = """
     def turn(self, x, y):
         c = F.cross_entropy(self.head(self.body(x).relu()), y)
         self.clear(self.opts)
         c.backward()
         stop()
         self.advance(self.opts)
 engine = Engine()
 for _ in range(4):
     engine.turn(torch.randn(8, 6), torch.randint(0, 2, (8,)))
"""
_ENGINE = """
 class Engine:
     def __init__(self):
         self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 2)
         self.opts = {
             "body": torch.optim.SGD(self.body.parameters(), lr=0.1),
             "head": torch.optim.Adam(self.head.parameters(), lr=0.01),
         }
"""

_SCALED = """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 2)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
         self.scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
     def clip(self, o, scaler):
         {clip}
     def advance(self, o, scaler):
         scaler.step(o)
         scaler.update()
     def turn(self, x, y):
         c = F.cross_entropy(self.net(x), y)
         self.o.zero_grad()
         {backward}
         self.clip(self.o, self.scaler)
         stop()
         self.advance(self.o, self.scaler)
 engine = Engine()
 for _ in range(2):
     engine.turn(torch.randn(8, 6), torch.randint(0, 2, (8,)))
"""
_LIMITED = 'nn.utils.clip_grad_norm_(o.param_groups[0]["params"], 1.0)'
_BACKWARD = "self.scaler.scale(c).backward()"

#: name: the rule that must find it, program
PROGRAMS: dict[str, tuple[str, str]] = {
    "clears_all_but_one": (
        "grads-accumulated",
        _ENGINE
        + """
     def clear(self, opts):
-        for o in (opts["head"],):
+        for o in opts.values():
             o.zero_grad()
     def advance(self, opts):
         for key, o in opts.items():
             o.step()
"""
        + _TURN,
    ),
    "clears_the_head_of_two": (
        "grads-accumulated",
        """
 down, up = nn.Linear(6, 3), nn.Linear(3, 6)
 both = [torch.optim.SGD(down.parameters(), lr=0.1), torch.optim.SGD(up.parameters(), lr=0.1)]
 for _ in range(4):
     x = torch.randn(8, 6)
     c = F.mse_loss(up(down(x).tanh()), x)
-    for one in both[-1:]:
+    for one in both:
         one.zero_grad()
     c.backward()
     stop()
     for i, one in enumerate(both):
         one.step()
""",
    ),
    "falls_by_batches_for_epochs": (
        "lr-zero",
        """
 class Engine:
     def __init__(self, epochs):
         self.epochs, self.net = epochs, nn.Linear(6, 2)
         self.o = torch.optim.RMSprop(self.net.parameters(), lr=0.01)
     def share(self, k):
         left = self.epochs - k
         return left / self.epochs if left > 0 else 0
     def fit(self):
         plan = torch.optim.lr_scheduler.LambdaLR(self.o, self.share)
         for _ in range(self.epochs):
             for k in range(4):
                 c = F.cross_entropy(self.net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
                 self.o.zero_grad()
                 c.backward()
                 stop()
                 self.o.step()
-                plan.step()
+                pass
+            plan.step()
 Engine(3).fit()
""",
    ),
    "warmed_up_and_over_too_soon": (
        "lr-zero",
        """
 def shares(first, last):
     def share(k):
         if k < first:
             return float(k) / max(1, first)
         return max(0.0, float(last - k) / float(max(1, last - first)))
     return share
 net = nn.Linear(6, 2)
 o = torch.optim.AdamW(net.parameters(), lr=0.01)
-count = 4
+count = 12
 plan = torch.optim.lr_scheduler.LambdaLR(o, shares(2, count))
 for _ in range(12):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "alike_labels_need_more_frames": (
        "nan-origin",
        """
 rnn, top = nn.LSTM(4, 8), nn.Linear(8, 5)
 o = torch.optim.Adam([*rnn.parameters(), *top.parameters()])
 x, marks = torch.randn(6, 3, 4), torch.tensor([[1, 2, 3, 0], [2, 2, 2, 2], [4, 1, 0, 0]])
+marks[1, 1::2] = 3
 sizes, counts = torch.tensor([6, 5, 6]), torch.tensor([3, 4, 2])
 c = F.ctc_loss(top(rnn(x)[0]).log_softmax(2), marks, sizes, counts)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "too_few_frames_below": (
        "nan-origin",
        """
 rule = nn.CTCLoss()
 def error(scores, marks, sizes, counts):
     return rule(scores.log_softmax(2), marks, sizes, counts)
 net = nn.Linear(4, 5)
 o = torch.optim.Adam(net.parameters())
-sizes = (6, 2)
+sizes = (6, 5)
 marks, counts = torch.tensor([1, 2, 3, 4, 1]), (2, 3)
 for _ in range(2):
     c = error(net(torch.randn(6, 2, 4)), marks, sizes, counts)
     stop()
     o.zero_grad()
     c.backward()
     break
""",
    ),
    "divided_by_a_length_of_nothing": (
        "nan-origin",
        """
 net = nn.Linear(4, 5)
 o = torch.optim.Adam(net.parameters())
-n = torch.tensor([3.0, 0.0, 2.0])
+n = torch.tensor([3.0, 1.0, 2.0])
 c = (net(torch.randn(3, 4)).square().sum(1) / n).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "clips_in_a_helper_what_is_scaled": (
        "clip-before-unscale",
        _SCALED.replace("         {clip}\n", "+        scaler.unscale_(o)\n         {clip}\n").format(
            clip=_LIMITED, backward=_BACKWARD
        ),
    ),
    "scales_and_clips_in_a_helper": (
        "clip-before-unscale",
        """
 net, scaler = nn.Linear(6, 2), torch.amp.GradScaler("cpu", init_scale=512.0)
 o = torch.optim.Adam(net.parameters())
 def learn(c):
     o.zero_grad()
     scaler.scale(c).backward()
+    scaler.unscale_(o)
     nn.utils.clip_grad_value_(net.parameters(), 0.5)
 for _ in range(2):
     learn(F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,))))
     stop()
     scaler.step(o)
     scaler.update()
""",
    ),
    "lost_as_the_averages_tell": (
        "update-lost",
        """
-few = torch.bfloat16
+few = torch.float32
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 48), nn.Tanh(), nn.Linear(48, 3)).to(few)
         self.o = torch.optim.NAdam(self.net.parameters(), lr=3e-6)
     def turn(self, x, y):
         c = F.cross_entropy(self.net(x.to(few)).float(), y)
         c.backward()
         self.o.step()
         self.o.zero_grad()
         stop()
 engine = Engine()
 for _ in range(3):
     engine.turn(torch.randn(8, 6), torch.randint(0, 3, (8,)))
""",
    ),
    "lost_in_spite_of_momentum": (
        "update-lost",
        """
-few = torch.float16
+few = torch.float64
 net = nn.Linear(12, 4).to(few)
 o = torch.optim.SGD(net.parameters(), lr=1e-5, momentum=0.9)
 for _ in range(3):
     c = net(torch.randn(8, 12).to(few)).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "averaged_into_itself_by_a_helper": (
        "aliased-models",
        """
 def follow(slow, fast):
     with torch.no_grad():
         for a, b in zip(slow.parameters(), fast.parameters()):
             a.lerp_(b, 0.01)
 pupil = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
-judge = pupil
+judge = copy.deepcopy(pupil).requires_grad_(False)
 o = torch.optim.SGD(pupil.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     goal = judge(x).softmax(1).detach()
     c = F.cross_entropy(pupil(x + 0.1 * torch.randn(8, 6)), goal)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     follow(judge, pupil)
""",
    ),
    "copied_into_itself_now_and_then": (
        "aliased-models",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(6, 3)
-        self.late = self.net
+        self.late = copy.deepcopy(self.net).requires_grad_(False)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def renew(self, late, net, k):
         if k % 2 == 1:
             late.load_state_dict(net.state_dict())
     def turn(self, x, k):
         y = 1 + 0.9 * self.late(x + 1).detach().amax(1)
         c = F.smooth_l1_loss(self.net(x)[:, 0], y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
         self.renew(self.late, self.net, k)
 engine = Engine()
 for k in range(2):
     engine.turn(torch.randn(8, 6), k)
""",
    ),
    "judge_that_is_the_trained_net_in_eval": (
        "aliased-models",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
-judge = net.to("cpu").eval()
+judge = copy.deepcopy(net).to("cpu").eval()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         goal = judge(x + 1)
     c = F.mse_loss(net(x), goal)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "target_asked_not_to_be_trained": (
        "aliased-models",
        """
 class Agent:
     def __init__(self):
         self.online = nn.Linear(4, 2)
-        self.target = self.online.requires_grad_(False)
+        self.target = copy.deepcopy(self.online).requires_grad_(False)
         self.online.requires_grad_(True)
         self.o = torch.optim.Adam(self.online.parameters(), lr=1e-3)
     def learn(self, s, a, r, n):
         with torch.no_grad():
             best = self.online(n).argmax(1, keepdim=True)
             y = r + 0.9 * self.target(n).gather(1, best)
         c = F.smooth_l1_loss(self.online(s).gather(1, a), y)
         self.o.zero_grad()
         c.backward()
         stop()
         self.o.step()
 agent = Agent()
 for _ in range(2):
     agent.learn(torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8, 1), torch.randn(8, 4))
""",
    ),
    "old_policy_is_the_new_one": (
        "aliased-models",
        """
 class Agent:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
         self.o = torch.optim.Adam(self.net.parameters(), lr=3e-3)
     def learn(self, s, a, gain):
-        before = self.net
+        before = copy.deepcopy(self.net)
         for _ in range(2):
             with torch.no_grad():
                 old = before(s).log_softmax(1).gather(1, a)
             ratio = (self.net(s).log_softmax(1).gather(1, a) - old).exp()
             c = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
             self.o.zero_grad()
             c.backward()
             stop()
             self.o.step()
 agent = Agent()
 for _ in range(2):
     agent.learn(torch.randn(8, 4), torch.randint(0, 3, (8, 1)), torch.randn(8, 1))
""",
    ),
}

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "one_is_cleared_after_its_step": (
        "grads-accumulated",
        _ENGINE
        + """
     def clear(self, opts):
         for o in (opts["head"],):
             o.zero_grad()
     def advance(self, opts):
         for o in opts.values():
             o.step()
         opts["body"].zero_grad()
"""
        + _TURN,
    ),
    "one_is_never_stepped": (
        "grads-accumulated",
        _ENGINE
        + """
     def clear(self, opts):
         for o in (opts["head"],):
             o.zero_grad()
     def advance(self, opts):
         for o in (opts["head"],):
             o.step()
"""
        + _TURN,
    ),
    "cleared_by_two_calls_of_one_helper": (
        "grads-accumulated",
        """
 def clear(o):
     o.zero_grad()
 body, head = nn.Linear(6, 8), nn.Linear(8, 2)
 one, two = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.Adam(head.parameters(), lr=0.01)
 for _ in range(4):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(head(body(x).relu()), y)
     clear(two)
     clear(one)
     c.backward()
     stop()
     one.step()
     two.step()
""",
    ),
    "cleared_by_a_helper_for_each": (
        "grads-accumulated",
        """
 def clear(o):
     o.zero_grad()
 body, head = nn.Linear(6, 8), nn.Linear(8, 2)
 two = [torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.Adam(head.parameters(), lr=0.01)]
 for _ in range(4):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     for o in two:
         clear(o)
     c = F.cross_entropy(head(body(x).relu()), y)
     c.backward()
     stop()
     for o in two:
         o.step()
""",
    ),
    "falls_to_nothing_and_begins_again": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda k: max(0.0, 1 - (k % 8) / 4))
 for _ in range(9):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "falls_to_nothing_as_a_table_says": (
        "lr-zero",
        """
 table = {0: 1.0, 1: 0.5, 2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0, 6: 1.0}
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda k: table[k % 7])
 for _ in range(8):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "too_few_frames_that_do_not_count": (
        "nan-origin",
        """
 net = nn.Linear(4, 5)
 o = torch.optim.Adam(net.parameters())
 rule = nn.CTCLoss(zero_infinity=True)
 marks, sizes, counts = torch.tensor([1, 2, 3, 4, 1]), torch.tensor([6, 2]), torch.tensor([2, 3])
 c = rule(net(torch.randn(6, 2, 4)).log_softmax(2), marks, sizes, counts)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "just_enough_frames": (
        "nan-origin",
        """
 net = nn.Linear(4, 5)
 o = torch.optim.Adam(net.parameters())
 marks, sizes, counts = torch.tensor([[1, 1, 2], [3, 4, 1]]), torch.tensor([4, 3]), torch.tensor([3, 3])
 c = F.ctc_loss(net(torch.randn(6, 2, 4)).log_softmax(2), marks, sizes, counts)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "infinite_with_finite_slopes": (
        "nan-origin",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.Adam(net.parameters())
 x, hot = torch.randn(6, 4), torch.zeros(6, 3)
 hot[torch.arange(6), torch.randint(0, 2, (6,))] = 1.0
 bias = torch.tensor([0.0, 0.0, -torch.inf])
 c = (net(x) + bias).logsumexp(1).mean() - (net(x) * hot).sum(1).mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "clips_in_a_helper_at_the_scaled_limit": (
        "clip-before-unscale",
        _SCALED.format(clip=_LIMITED.replace("1.0", "scaler.get_scale() * 1.0"), backward=_BACKWARD),
    ),
    "clips_in_a_helper_what_another_has_unscaled": (
        "clip-before-unscale",
        _SCALED.format(clip=_LIMITED, backward=f"{_BACKWARD}\n         self.even(self.o, self.scaler)").replace(
            "     def advance(", "     def even(self, o, scaler):\n         scaler.unscale_(o)\n     def advance("
        ),
    ),
    "clips_where_nothing_is_scaled": (
        "clip-before-unscale",
        """
 net, scaler, half = nn.Linear(6, 2), torch.amp.GradScaler("cpu"), False
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     if half:
         scaler.scale(c).backward()
         scaler.step(o)
     else:
         c.backward()
         nn.utils.clip_grad_norm_(net.parameters(), 1.0)
         stop()
         o.step()
""",
    ),
    "carried_over_by_a_step_of_its_own": (
        "update-lost",
        """
 class CarefulAdamW(torch.optim.AdamW):
     def step(self):
         for p in self.param_groups[0]["params"]:
             if p.grad is not None:
                 rest = self.state[p].setdefault("rest", torch.zeros_like(p, dtype=torch.float32))
                 rest -= 1e-6 * p.grad.sign()
                 before = p.detach().clone()
                 p.data += rest.to(p.dtype)
                 rest -= (p.detach() - before).float()
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = CarefulAdamW(net.parameters(), lr=1e-6)
 for _ in range(2):
     c = net(torch.randn(8, 16).to(torch.bfloat16)).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "few_bits_while_the_rate_warms_up": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.Adam(net.parameters(), lr=0.01)
 plan = torch.optim.lr_scheduler.LinearLR(o, 1e-4, 1.0, 100)
 for _ in range(2):
     c = net(torch.randn(8, 16).to(torch.bfloat16)).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "averaged_only_if_wanted": (
        "aliased-models",
        """
 def follow(slow, fast, wanted):
     if wanted:
         slow.load_state_dict(fast.state_dict())
 net = nn.Linear(6, 3)
 wanted = False
 mean = copy.deepcopy(net) if wanted else net
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     follow(mean, net, wanted)
""",
    ),
    "averaged_where_it_is_another": (
        "aliased-models",
        """
 def follow(slow, fast):
     if slow is fast:
         return
     for a, b in zip(slow.parameters(), fast.parameters()):
         a.data.lerp_(b.data, 0.1)
 net = nn.Linear(6, 3)
 mean = net
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     follow(mean, net)
""",
    ),
    "own_labels_in_eval": (
        "aliased-models",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(2):
     x = torch.randn(8, 6)
     scorer = net.eval()
     with torch.no_grad():
         label = scorer(x).argmax(1)
     net.train()
     c = F.cross_entropy(net(x + 0.1 * torch.randn(8, 6)), label)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "shorter_name_in_a_method": (
        "aliased-models",
        """
 class Agent:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
         self.o = torch.optim.Adam(self.net.parameters(), lr=3e-3)
     def learn(self, s, a, gain):
         policy = self.net
         with torch.no_grad():
             old = policy(s).log_softmax(1).gather(1, a)
         for _ in range(2):
             ratio = (self.net(s).log_softmax(1).gather(1, a) - old).exp()
             c = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
             self.o.zero_grad()
             c.backward()
             stop()
             self.o.step()
 agent = Agent()
 for _ in range(2):
     agent.learn(torch.randn(8, 4), torch.randint(0, 3, (8, 1)), torch.randn(8, 1))
""",
    ),
}
