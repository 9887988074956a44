"""Healthy programs of practice: their results, signs, lists and shapes only look as if they were mistaken."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "cleared_by_a_loop_over_a_list": (
        "grads-accumulated",
        """
 body, head = nn.Linear(6, 4), nn.Linear(4, 2)
 opts = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (body, head)]
 for _ in range(4):
     for opt in opts:
         opt.zero_grad()
     for half in range(2):
         c = F.cross_entropy(head(torch.relu(body(torch.randn(8, 6)))), torch.randint(0, 2, (8,)))
         c.backward()
     opts[0].step()
     opts[1].step()
     stop()
""",
    ),
    "cleared_by_a_loop_over_a_dict": (
        "grads-accumulated",
        """
 body, head = nn.Linear(6, 4), nn.Linear(4, 2)
 opts = {"body": torch.optim.SGD(body.parameters(), lr=0.1), "head": torch.optim.SGD(head.parameters(), lr=0.1)}
 for _ in range(4):
     for name, opt in opts.items():
         opt.zero_grad()
     for half in range(2):
         c = F.cross_entropy(head(torch.relu(body(torch.randn(8, 6)))), torch.randint(0, 2, (8,)))
         c.backward()
     opts["body"].step()
     opts["head"].step()
     stop()
""",
    ),
    "a_part_read_in_the_else_of_a_try": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         h = self.a(x)
         try:
             more = self.tap(x)
         except RuntimeError:
             pass
         else:
             if self.adds:
                 h = h + more
         return h
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_read_after_a_loop_is_left": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         h = self.a(x)
         for _ in range(2):
             more = self.tap(x)
             if self.adds:
                 break
             more = 0
         return h + more
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_that_a_call_keeps": (
        "unused-module",
        """
 class Kept:
     def __init__(self):
         self.all = []
     def push(self, h):
         self.all.append(h)
         return len(self.all)
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.kept = nn.Linear(6, 4), nn.Linear(6, 4), Kept()
     def forward(self, x):
         h = self.tap(x)
         size = self.kept.push(h)
         return self.a(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     c = net(torch.randn(8, 6)).pow(2).mean()
     if turn == 3:
         c = c + net.kept.all[-1].pow(2).mean()
     net.kept.all.clear()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_bound_to_a_global_name": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         global seen
         seen = self.tap(x)
         return self.a(x)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     if turn == 3:
         c = c + globals()["seen"].pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_read_by_a_function_defined_before": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         def joined(y):
             return y + more if self.adds else y
         more = self.tap(x)
         return joined(self.a(x))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_read_by_eval": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap, self.adds = nn.Linear(6, 4), nn.Linear(6, 4), False
     def forward(self, x):
         more = self.tap(x)
         return self.a(x) + (eval("more") if self.adds else 0)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     net.adds = turn == 3
     c = net(torch.randn(8, 6)).pow(2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_with_a_layer_that_runs_for_its_hook": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap = nn.Linear(6, 4), nn.Sequential(nn.Linear(6, 4), nn.ReLU())
     def forward(self, x):
         seen = self.tap(x)
         return self.a(x)
 net, kept = Net(), []
 [layer for layer in net.modules() if type(layer) is nn.ReLU][0].register_forward_hook(lambda module, given, out: kept.append(out))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     c = net(torch.randn(8, 6)).pow(2).mean()
     if turn == 3:
         c = c + kept[-1].pow(2).mean()
     kept.clear()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_part_that_runs_for_a_hook_of_all": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.tap = nn.Linear(6, 4), nn.Sequential(nn.Linear(6, 4), nn.ReLU())
     def forward(self, x):
         seen = self.tap(x)
         return self.a(x)
 net, kept = Net(), []
 def keep(module, given, out):
     if type(module) is nn.ReLU:
         kept.append(out)
 hook = nn.modules.module.register_module_forward_hook(keep)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(4):
     c = net(torch.randn(8, 6)).pow(2).mean()
     if turn == 3:
         c = c + kept[-1].pow(2).mean()
     kept.clear()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 hook.remove()
""",
    ),
    "a_list_of_before_beside_one_of_numbers": (
        "retained-graph",
        """
 net = nn.Linear(5, 1)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 probes = [net(torch.randn(6, 5)).pow(2).mean() for _ in range(2)]
 start = probes[0] + probes[1]
 start.backward()
 opt.zero_grad()
 log = []
 for i in range(3):
     loss = F.mse_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     opt.zero_grad()
     loss.backward()
     opt.step()
     log.append(loss.item())
     stop()
""",
    ),
    "another_list_of_the_same_dict": (
        "retained-graph",
        """
 net = nn.Linear(5, 1)
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = {"probes": [net(torch.randn(6, 5)).pow(2).mean() for _ in range(2)]}
 start = kept["probes"][0] + kept["probes"][1]
 start.backward()
 opt.zero_grad()
 for i in range(3):
     loss = F.mse_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     opt.zero_grad()
     loss.backward()
     opt.step()
     kept.setdefault("loss", []).append(loss.item())
     stop()
""",
    ),
    "policy_whose_returns_are_all_negative": (
        "loss-sign",
        """
 net = nn.Linear(3, 1)
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 for _ in range(3):
     states, actions = torch.randn(16, 3), torch.randn(16)
     returns = -torch.rand(16) * 100
     mu = net(states).squeeze(1)
     c = (returns * (actions - mu).pow(2)).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "score_times_a_sign": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 sign = -1.0
 for _ in range(3):
     x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
     score = -F.cross_entropy(net(x), y)
     c = sign * score
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
    "cost_of_what_a_method_has_drawn": (
        "loss-sign",
        """
 class Agent:
     def __init__(self):
         self.net = nn.Linear(6, 3)
     def pick(self, s):
         return torch.distributions.Categorical(logits=self.net(s).detach()).sample()
 agent = Agent()
 o = torch.optim.Adam(agent.net.parameters(), lr=1e-2)
 for _ in range(3):
     s = torch.randn(10, 6)
     a = agent.pick(s)
     logp = F.log_softmax(agent.net(s), 1).gather(1, a[:, None])
     c = logp.sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cost_times_the_likelihood_of_choices": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     s, a = torch.randn(10, 6), torch.randint(0, 3, (10,))
     cost = 3.5
     logp = F.log_softmax(net(s), 1).gather(1, a[:, None])
     c = cost * logp.sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "patch_that_fools_a_frozen_model": (
        "loss-sign",
        """
 class Patch(nn.Module):
     def __init__(self):
         super().__init__()
         self.delta = nn.Parameter(torch.zeros(6))
     def forward(self, x):
         return x + self.delta
 net, patch = nn.Linear(6, 3), Patch()
 net.requires_grad_(False)
 o = torch.optim.Adam(patch.parameters(), lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
     c = (-F.cross_entropy(net(patch(x)), y)).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "two_outputs_pushed_apart": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters(), lr=1e-2)
 for _ in range(3):
     x, y = torch.randn(10, 6), torch.randn(10, 6)
     c = (-F.smooth_l1_loss(torch.sigmoid(net(x)), torch.sigmoid(net(y)), reduction="none")).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "pseudo_labels_of_all_pairs": (
        "loss-broadcast",
        """
 net = nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
 for _ in range(3):
     z = F.normalize(net(x), dim=1)
     column = z.argmax(1).unsqueeze(1)
     alike = (column == y).float()
     c = ((z @ z.t() - alike) ** 2).mean()
     share = (column == y).float().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "mask_of_all_pairs": (
        "loss-broadcast",
        """
 net, score = nn.Linear(6, 4), nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(12, 6), torch.randint(0, 2, (12,)).float()
 for _ in range(3):
     with torch.no_grad():
         side = (score(x) > 0).float()
     alike = (side == y).float()
     z = F.normalize(net(x), dim=1)
     c = ((z @ z.t() - alike) ** 2).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "mixture_over_a_grid": (
        "loss-broadcast",
        """
 net = nn.Linear(5, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, grid = torch.randn(16, 5), torch.linspace(-3, 3, 16)
 for _ in range(3):
     dist = torch.distributions.Normal(net(x), 1.0)
     c = -dist.log_prob(grid).logsumexp(0).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sum_begun_anew_every_other_round": (
        "retained-graph",
        """
 net, pair = nn.Linear(5, 1), 0.0
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(6):
     c = F.l1_loss(net(torch.randn(6, 5)), torch.randn(6, 1))
     o.zero_grad()
     c.backward()
     o.step()
     pair = c if k % 2 == 0 else pair + c
     stop()
""",
    ),
    "body_that_waits_for_its_turn": (
        "missing-grad",
        """
 body, head = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 2)
 o_body, o_head = (torch.optim.SGD(part.parameters(), lr=0.1) for part in (body, head))
 for _ in range(3):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(head(body(x).detach()), y)
     o_head.zero_grad()
     c.backward()
     stop()
     o_head.step()
""",
    ),
    "pictures_cut_off_for_the_judge_alone": (
        "missing-grad",
        """
 gen = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
 dis = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
 og, od = torch.optim.Adam(gen.parameters(), 2e-4), torch.optim.Adam(dis.parameters(), 2e-4)
 for _ in range(2):
     fake = gen(torch.randn(8, 3)).detach()
     of_dis = F.softplus(-dis(torch.randn(8, 2))).mean() + F.softplus(dis(fake)).mean()
     od.zero_grad()
     of_dis.backward()
     stop()
     od.step()
     of_gen = F.softplus(-dis(gen(torch.randn(8, 3)))).mean()
     og.zero_grad()
     of_gen.backward()
     og.step()
""",
    ),
}
