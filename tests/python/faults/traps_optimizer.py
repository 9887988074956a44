"""Healthy programs that look as if their optimizer held the wrong tensors, or its steps did harm or nothing."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "steps_in_backward": (
        "param-not-in-optimizer",
        """
 net, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD(head.parameters(), lr=0.1)
 def steps_at_once(p):
     own = torch.optim.SGD([p], lr=0.1)
     def go(q):
         own.step()
         own.zero_grad()
     p.register_post_accumulate_grad_hook(go)
 for p in net.parameters(): steps_at_once(p)
 for _ in range(2):
     c = F.cross_entropy(head(net(torch.randn(8, 6)).relu()), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "only_the_head_is_tuned": (
        "param-not-in-optimizer",
        """
 body, head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()).requires_grad_(False), nn.Linear(8, 3)
 o = torch.optim.SGD(head.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(head(body(torch.randn(8, 6))), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "scale_for_a_later_phase": (
        "optimizer-stale-params",
        """
 net = nn.Linear(6, 3)
 class Later:
     __slots__ = ("scale",)
 later = Later()
 later.scale = torch.ones(3, requires_grad=True)
 o = torch.optim.Adam([*net.parameters(), later.scale])
 for k in range(2):
     q = net(torch.randn(8, 6))
     c = F.cross_entropy(q, torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "large_batch_in_parts": (
        "grads-accumulated",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(8):
     c = F.cross_entropy(net(torch.randn(4, 4)), torch.randint(0, 2, (4,))) / 4
     c.backward()
     stop()
     if (k + 1) % 4 == 0:
         o.step()
         o.zero_grad(set_to_none=False)
""",
    ),
    "steps_while_it_collects": (
        "grads-accumulated",
        """
 net, head = nn.Linear(4, 2), nn.Linear(2, 1).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(6):
     for part in range(2):
         c = head(net(torch.randn(4, 4))).square().mean()
         if part:
             c.backward()
         stop()
     o.step()
     o.zero_grad(set_to_none=False)
""",
    ),
    "cleared_at_the_loop_s_top": (
        "step-without-grads",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(3):
     o.zero_grad()
     c = F.cross_entropy(net(torch.randn(4, 4)), torch.randint(0, 2, (4,)))
     c.backward()
     stop()
     o.step()
     o.zero_grad()
""",
    ),
    "another_one_is_cleared": (
        "step-without-grads",
        """
 g, d = nn.Linear(4, 6), nn.Linear(6, 1)
 og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
 for _ in range(2):
     z = torch.randn(8, 4)
     og.zero_grad()
     c = F.softplus(-d(g(z))).mean()
     c.backward()
     od.zero_grad()
     og.step()
     stop()
     c = F.softplus(d(g(z).detach())).mean() + F.softplus(-d(torch.randn(8, 6))).mean()
     c.backward()
     od.step()
""",
    ),
    "annealed_to_almost_nothing": (
        "lr-too-low",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.CosineAnnealingLR(o, 3, eta_min=1e-9)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     stop()
""",
    ),
    "small_from_the_beginning": (
        "lr-too-low",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=1e-7)
 plan = torch.optim.lr_scheduler.StepLR(o, 1, gamma=0.5)
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     o.step()
     plan.step()
     stop()
""",
    ),
    "harder_samples_come": (
        "lr-too-high",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for k in range(4):
     x = torch.randn(8, 4) * 10 ** k
     c = F.mse_loss(net(x), torch.zeros(8, 1))
     o.zero_grad()
     c.backward()
     stop()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
""",
    ),
    "first_steps_from_zero": (
        "lr-too-high",
        """
 net = nn.Linear(4, 1)
 nn.init.zeros_(net.weight)
 nn.init.zeros_(net.bias)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(4):
     x = torch.randn(8, 4)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True) * (1 + 5 * k))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "biases_begin_near_zero": (
        "lr-too-high",
        """
 net = nn.Linear(4, 1)
 nn.init.constant_(net.bias, 1e-4)
 o = torch.optim.SGD(net.parameters(), lr=0.05)
 for k in range(4):
     x = torch.randn(16, 4)
     c = F.mse_loss(net(x), torch.full((16, 1), 4.0 ** k))
     o.zero_grad()
     c.backward()
     stop()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
""",
    ),
    "weights_kept_in_full": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 full = [p.detach().float().requires_grad_() for p in net.parameters()]
 o = torch.optim.SGD(full, lr=1e-4)
 for _ in range(2):
     x, y = torch.randn(8, 16).to(torch.bfloat16), torch.randn(8, 8).to(torch.bfloat16)
     c = F.mse_loss(net(x).float(), y.float())
     net.zero_grad()
     c.backward()
     for p, q in zip(full, net.parameters()): p.grad = q.grad.float()
     stop()
     o.step()
     with torch.no_grad():
         for p, q in zip(full, net.parameters()): q.copy_(p)
""",
    ),
    "large_steps_of_few_bits": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.SGD(net.parameters(), lr=0.5)
 for _ in range(2):
     x, y = torch.randn(8, 16).to(torch.bfloat16), torch.randn(8, 8).to(torch.bfloat16)
     c = F.mse_loss(net(x).float(), y.float() * 10)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "another_rule_for_few_bits": (
        "update-lost",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 o = torch.optim.Rprop(net.parameters(), lr=1e-5)
 for _ in range(2):
     x, y = torch.randn(8, 16).to(torch.bfloat16), torch.randn(8, 8).to(torch.bfloat16)
     c = F.mse_loss(net(x).float(), y.float())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "half_with_an_eps_that_it_holds": (
        "eps-underflow",
        """
 net = nn.Linear(6, 2).half()
 o = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-4)
 for _ in range(2):
     c = net(torch.randn(8, 6).half()).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "full_with_the_usual_eps": (
        "eps-underflow",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-12)
 for _ in range(2):
     with torch.autocast("cpu", torch.bfloat16):
         c = net(torch.randn(8, 6)).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "clipped_when_unscaled": (
        "clip-before-unscale",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu")
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     s.scale(c).backward()
     s.unscale_(o)
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     stop()
     s.step(o)
     s.update()
""",
    ),
    "clipped_beside_a_scaler_that_is_off": (
        "clip-before-unscale",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", enabled=False)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     s.scale(c).backward()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     stop()
     s.step(o)
     s.update()
""",
    ),
    "unscaled_then_stepped_by_hand": (
        "scaler-bypassed",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu")
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     s.scale(c).backward()
     s.unscale_(o)
     stop()
     o.step()
     s.update()
""",
    ),
    "off_and_stepped_by_hand": (
        "scaler-bypassed",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", enabled=False)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     s.scale(c).backward()
     stop()
     o.step()
""",
    ),
    "scaler_that_skips": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 s = torch.amp.GradScaler("cpu", init_scale=2.0 ** 15)
 for k in range(5):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     s.scale(c).backward()
     if k < 3:
         net.weight.grad[0, 0] = float("inf")
     s.step(o)
     s.update()
     stop()
""",
    ),
    "steps_of_nothing_at_first": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda i: 0.0 if i < 3 else 1.0)
 for _ in range(5):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "scored_again_and_again": (
        "weights-unchanged",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for epoch in range(2):
     for _ in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         o.zero_grad()
         c.backward()
         o.step()
     for _ in range(4):
         right = (net(torch.randn(8, 6)).argmax(1) == 0).float().mean()
         stop()
""",
    ),
    "rate_that_was_set_to_nothing_for_a_part": (
        "lr-zero",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 2)
 o = torch.optim.SGD([{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters()}], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(head(body(torch.randn(8, 6))), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "warm_up_written_in_the_loop": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     for g in o.param_groups: g["lr"] = 0.1 * k / 3
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "warm_up_from_an_optimizer_of_rate_nothing": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.0)
 for k in range(3):
     o.param_groups[0].update(lr=min(k, 2) * 0.05)
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rate_that_another_hand_sets": (
        "lr-zero",
        """
 class Plan:
     def __init__(self, o): self.o, self.k = o, 0
     def __iter__(self):
         for self.k in range(3):
             self.o.param_groups[0]["lr"] = 0.1 * self.k
             yield torch.randn(8, 6)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x in Plan(o):
     c = F.cross_entropy(net(x), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "rates_of_whole_steps": (
        "lr-zero",
        """
 def share(k):
     if k < 2:
         return 0
     return k // 2
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, share)
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     plan.step()
""",
    ),
    "clipped_where_a_limit_is_set": (
        "step-without-grads",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 most = 0
 for k in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     if most > 0:
         nn.utils.clip_grad_norm_(net.parameters(), most)
     stop()
     o.step()
""",
    ),
    "not_clipped_by_a_limit_of_nothing": (
        "step-without-grads",
        """
 def clip_grad_norm(parameters, most):
     if most > 0:
         nn.utils.clip_grad_norm_(parameters, most)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     clip_grad_norm(net.parameters(), 0.0)
     stop()
     o.step()
""",
    ),
    "norm_read_by_a_function_named_like_clipping": (
        "clip-before-unscale",
        """
 def clip_grad_norm(parameters, most):
     return min(most, sum(one.grad.norm() for one in parameters))
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 scaler = torch.amp.GradScaler("cpu")
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     scaler.scale(c).backward()
     size = clip_grad_norm(net.parameters(), 1.0)
     stop()
     scaler.step(o)
     scaler.update()
""",
    ),
    "one_part_kept_still_by_clipping": (
        "step-without-grads",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 2)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for k in range(2):
     c = F.cross_entropy(head(body(torch.randn(8, 6))), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     nn.utils.clip_grad_value_(body.parameters(), 0)
     stop()
     o.step()
""",
    ),
    "several_stops_in_one_round": (
        "grads-accumulated",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def look(): stop()
 for _ in range(3):
     c = F.cross_entropy(net(torch.randn(4, 4)), torch.randint(0, 2, (4,)))
     o.zero_grad(set_to_none=False)
     c.backward()
     for _ in range(2): stop()
     o.step()
     for _ in range(2): stop()
""",
    ),
    "end_of_a_long_schedule": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 plan = torch.optim.lr_scheduler.LambdaLR(o, lambda k: max(0.0, 1 - k / 112))
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
 for k in range(114):
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     if k > 108: stop()
     o.step()
     plan.step()
""",
    ),
    "schedule_out_of_sight": (
        "lr-zero",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 later = torch.optim.lr_scheduler.LambdaLR(o, lambda k: k / 10).step
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     later()
""",
    ),
    "cleared_where_a_round_is_left_out": (
        "step-without-grads",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(4):
     c = F.cross_entropy(net(torch.randn(4, 4)), torch.randint(0, 2, (4,)))
     c.backward()
     if k == 2 or not torch.isfinite(c):
         o.zero_grad()
         continue
     stop()
     o.step()
     o.zero_grad()
""",
    ),
    "cleared_before_a_second_backward": (
        "step-without-grads",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(4):
     x, y = torch.randn(4, 4), torch.randint(0, 2, (4,))
     F.cross_entropy(net(x), y).backward()
     if k % 2:
         slopes = [p.grad.clone() for p in net.parameters()]
         o.zero_grad()
         for p, slope in zip(net.parameters(), slopes):
             p.grad = slope.clamp(-0.1, 0.1)
         stop()
         o.step()
     if k % 2 == 0:
         o.zero_grad()
         F.cross_entropy(net(x.flip(0)), y.flip(0)).backward()
         stop()
         o.step()
     o.zero_grad()
""",
    ),
    "cleared_by_a_callback": (
        "grads-accumulated",
        """
 class Clears:
     def __init__(self, net): self.net = net
     def after(self, k):
         for p in self.net.parameters():
             p.grad = None
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 callbacks = [Clears(net)]
 for k in range(4):
     for part in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         c.backward()
     stop()
     o.step()
     for one in callbacks: one.after(k)
""",
    ),
    "cleared_by_a_hook_of_the_step": (
        "grads-accumulated",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 o.register_step_post_hook(lambda one, args, named: one.zero_grad())
 for k in range(4):
     for part in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_by_who_calls": (
        "grads-accumulated",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 afterwards = {"step": lambda: net.zero_grad()}
 def turn(k):
     for part in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         c.backward()
     stop()
     o.step()
 def fit():
     for k in range(4):
         turn(k)
         afterwards["step"]()
 fit()
""",
    ),
    "made_anew_in_each_round": (
        "grads-accumulated",
        """
 def trial(seed, parts):
     torch.manual_seed(seed)
     net = nn.Linear(6, 2)
     o = torch.optim.SGD(net.parameters(), lr=0.1)
     for part in range(parts):
         F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,))).backward()
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     c.backward()
     stop()
     o.step()
 for seed in range(3):
     trial(seed, 2)
""",
    ),
    "cleared_by_a_bound_function": (
        "grads-accumulated",
        """
 import functools
 def wipe(those):
     torch._foreach_zero_([p.grad for p in those])
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 renew = functools.partial(wipe, list(net.parameters()))
 for k in range(4):
     for part in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
         c.backward()
     stop()
     o.step()
     renew()
""",
    ),
    "cleared_by_a_helper_of_two_in_turn": (
        "grads-accumulated",
        """
 def begin(chosen):
     chosen.zero_grad()
 first, second = nn.Linear(6, 4), nn.Linear(4, 1)
 one = torch.optim.SGD(first.parameters(), lr=0.1)
 two = torch.optim.SGD(second.parameters(), lr=0.1)
 for k in range(4):
     now = one if k % 2 == 0 else two
     begin(now)
     x = torch.randn(16, 6)
     c = F.mse_loss(second(first(x).tanh()), x.sum(1, keepdim=True))
     c.backward()
     stop()
     if k % 2 == 0:
         one.step()
     else:
         two.step()
""",
    ),
    "turns_of_an_attribute": (
        "grads-accumulated",
        """
 class Turns(object):
     def __init__(self):
         self.first, self.second, self.count = nn.Linear(6, 4), nn.Linear(4, 1), 0
         self.one = torch.optim.SGD(self.first.parameters(), lr=0.1)
         self.two = torch.optim.SGD(self.second.parameters(), lr=0.1)
     def go(self):
         self.count += 1
         self.now = self.one if self.count % 2 else self.two
         self.now.zero_grad()
         x = torch.randn(16, 6)
         c = F.mse_loss(self.second(self.first(x).tanh()), x.sum(1, keepdim=True))
         c.backward()
         stop()
         if self.count % 2:
             self.one.step()
         else:
             self.two.step()
 turns = Turns()
 for _ in range(4):
     turns.go()
""",
    ),
    "cleared_by_a_hook_that_the_loop_does_not_name": (
        "grads-accumulated",
        """
 def cleared(optimizer, args, kwargs):
     optimizer.zero_grad()
 def fit(net, o):
     for _ in range(3):
         for part in torch.randn(2, 16, 6):
             c = F.mse_loss(net(part), part.sum(1, keepdim=True))
             c.backward()
         stop()
         o.step()
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 o.register_step_post_hook(cleared)
 fit(net, o)
""",
    ),
    "a_step_of_its_own_in_one_of_some_rounds": (
        "step-without-grads",
        """
 net, every = nn.Linear(6, 1), 4
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(9):
     x = torch.randn(16, 6)
     if k % every == 0:
         c = F.mse_loss(net(x), x.sum(1, keepdim=True)) / every
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "a_cycle_that_begins_at_nought": (
        "lr-zero",
        """
 net = nn.Linear(6, 1)
 cycle = torch.optim.lr_scheduler.CyclicLR(
     torch.optim.SGD(net.parameters(), lr=0.0, momentum=0.9), base_lr=0.0, max_lr=0.1, step_size_up=10
 )
 o = cycle.optimizer
 for _ in range(3):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     cycle.step()
""",
    ),
    "few_bits_that_a_rate_of_nought_keeps": (
        "update-lost",
        """
 body, head = nn.Linear(16, 8).to(torch.bfloat16), nn.Linear(8, 1).to(torch.bfloat16)
 groups = [{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters(), "lr": 0.1}]
 o = torch.optim.Adam(groups, lr=1e-5)
 for _ in range(2):
     c = head(body(torch.randn(8, 16).to(torch.bfloat16)).tanh()).float().square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_plain_step_in_a_helper_beside_the_scaled_one": (
        "clip-before-unscale",
        """
 net, scaler = nn.Linear(6, 1), torch.amp.GradScaler("cpu")
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def refined(x):
     c = net(x).square().mean()
     o.zero_grad()
     c.backward()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     scaler.scale(c).backward()
     stop()
     scaler.step(o)
     scaler.update()
     refined(x)
""",
    ),
    "clips_in_the_phase_before": (
        "clip-before-unscale",
        """
 net, scaler = nn.Linear(6, 1), torch.amp.GradScaler("cpu")
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
 for _ in range(2):
     x = torch.randn(16, 6)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     scaler.scale(c).backward()
     stop()
     scaler.step(o)
     scaler.update()
""",
    ),
    "a_count_of_steps_beside_a_scaled_backward": (
        "scaler-bypassed",
        """
 class Progress(object):
     def __init__(self):
         self.count = 0
     def step(self):
         self.count += 1
 def learn(x):
     scaler.scale(F.mse_loss(net(x), x.sum(1, keepdim=True))).backward()
     stop()
     progress.step()
 net, scaler, progress = nn.Linear(6, 1), torch.amp.GradScaler("cpu"), Progress()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     o.zero_grad()
     learn(torch.randn(16, 6))
     scaler.step(o)
     scaler.update()
""",
    ),
    "applies_what_its_caller_has_unscaled": (
        "scaler-bypassed",
        """
 def turn(x):
     o.step()
     o.zero_grad()
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     scaler.scale(c).backward()
     stop()
 net, scaler = nn.Linear(6, 1), torch.amp.GradScaler("cpu")
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     turn(torch.randn(16, 6))
     scaler.unscale_(o)
     scaler.update()
""",
    ),
    "a_judge_in_full_beside_what_is_scaled": (
        "scaler-bypassed",
        """
 def learn(x):
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     scaler.scale(c).backward()
     d = F.mse_loss(judge(x), x.mean(1, keepdim=True))
     d.backward()
     stop()
     two.step()
     two.zero_grad()
 net, judge, scaler = nn.Linear(6, 1), nn.Linear(6, 1), torch.amp.GradScaler("cpu")
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 two = torch.optim.SGD(judge.parameters(), lr=0.1)
 for _ in range(2):
     o.zero_grad()
     learn(torch.randn(16, 6))
     scaler.step(o)
     scaler.update()
""",
    ),
    "a_loss_in_decibels": (
        "lr-too-high",
        """
 net = nn.Linear(4, 1, bias=False)
 nn.init.constant_(net.weight, 0.1)
 o = torch.optim.SGD(net.parameters(), lr=1.58)
 x = 2 * torch.eye(4)
 y = x.sum(1, keepdim=True)
 for _ in range(2):
     c = F.mse_loss(net(x), y).log()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_sample_that_is_large_from_near_zero": (
        "lr-too-high",
        """
 net = nn.Linear(8, 1)
 nn.init.normal_(net.weight, std=1e-3)
 o = torch.optim.SGD(net.parameters(), lr=0.05)
 for size in (0.05, 3.0, 1.0, 2.0):
     x = torch.ones(1, 8)
     c = F.mse_loss(net(x), size * x.mean(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_sample_that_is_large_once": (
        "lr-too-high",
        """
 net = nn.Linear(16, 1)
 nn.init.constant_(net.weight, 0.04)
 o = torch.optim.Adam(net.parameters(), lr=0.3)
 for size in (0.1, 1.0, 0.5, 1.0):
     x = size * torch.randn(1, 16)
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
