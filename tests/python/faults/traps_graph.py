"""Healthy programs that look as if their graph were cut, kept, freed, or missed a part."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "states_cut_off_in_a_loop_over_the_parts": (
        "graph-freed",
        """
 class Core(nn.Module):
     def __init__(self):
         super().__init__()
         self.rnn, self.out, self.h = nn.GRUCell(4, 4), nn.Linear(4, 3), torch.zeros(8, 4)
     def detach(self): self.h = self.h.detach()
     def forward(self, x):
         self.h = self.rnn(x, self.h)
         return self.out(self.h)
 cores = nn.ModuleList([Core()])
 core, o = cores[0], torch.optim.SGD(cores.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     stop()
     for part in cores.children():
         part.detach()
     c = F.cross_entropy(core(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "states_begun_anew_in_a_loop_over_the_parts": (
        "graph-freed",
        """
 class Core(nn.Module):
     def __init__(self):
         super().__init__()
         self.rnn, self.out, self.h = nn.GRUCell(4, 4), nn.Linear(4, 3), torch.zeros(8, 4)
     def zero_(self): self.h = torch.zeros(8, 4)
     def forward(self, x):
         self.h = self.rnn(x, self.h)
         return self.out(self.h)
 cores = nn.ModuleList([Core()])
 core, o = cores[0], torch.optim.SGD(cores.parameters(), lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
     stop()
     for _, part in cores.named_children():
         part.zero_()
     c = F.cross_entropy(core(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "a_meter_that_begins_each_step_anew": (
        "retained-graph",
        """
 class Terms(object):
     def __init__(self):
         self.sums = {}
     def begin(self):
         self.sums = {}
     def add(self, name, term):
         self.sums[name] = self.sums.get(name, 0) + term
     def whole(self):
         return sum(self.sums.values())
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 terms, last = Terms(), {}
 for _ in range(3):
     terms.begin()
     last = {}
     for _ in range(2):
         q = net(torch.randn(8, 6))
         terms.add("fit", q.pow(2).mean())
         last["fit"] = last.get("fit", 0) + net(torch.randn(8, 6)).abs().mean()
     o.zero_grad()
     terms.whole().backward()
     last["fit"].backward()
     stop()
     o.step()
 stop()
""",
    ),
    "heads_taken_by_what_is_around": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.heads = nn.Linear(4, 8), nn.ModuleList([nn.Linear(8, 3) for _ in range(3)])
     def forward(self, x): return self.heads[0](self.body(x).relu())
 class Tasks(nn.Module):
     def __init__(self, net):
         super().__init__()
         self.net = net
     def forward(self, x, task): return self.net.heads[task](self.net.body(x).relu())
 net = Tasks(Net())
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(3):
     c = F.cross_entropy(net(torch.randn(6, 4), turn), torch.randint(0, 3, (6,)))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "head_taken_by_a_property": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.first, self.other = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 3)
     @property
     def second(self): return self.other
     def forward(self, x, turn): return (self.second if turn else self.first)(self.body(x).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for turn in range(2):
     c = F.cross_entropy(net(torch.randn(6, 4), turn), torch.randint(0, 3, (6,)))
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "sampled_by_a_method_of_the_model": (
        "nondifferentiable",
        """
 class Coder(nn.Module):
     def __init__(self):
         super().__init__()
         self.encode, self.decode = nn.Linear(4, 4), nn.Linear(2, 4)
     def sample(self, middle, spread):
         return middle + torch.randn_like(middle) * spread.exp()
 net = Coder()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 4)
     middle, spread = net.encode(x).chunk(2, -1)
     c = F.mse_loss(net.decode(middle), x) + net.sample(middle, spread).abs().mean() + 1e-6
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "cost_of_what_was_drawn": (
        "nondifferentiable",
        """
 net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     turn = torch.distributions.Categorical(logits=net(torch.randn(6, 4)))
     drawn = turn.sample()
     cost = (drawn == 2).float().mean()
     c = -(turn.log_prob(drawn) * torch.randn(6)).mean() + cost
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "gradients_by_hand": (
        "loss-without-grad",
        """
 class Layer:
     def __init__(self, inputs, outputs):
         self.w = torch.randn(inputs, outputs) / inputs
     def forward(self, x):
         self.x = x
         return x @ self.w
     def backward(self, slope):
         self.w -= 0.1 * self.x.t() @ slope
 layer = Layer(4, 1)
 for _ in range(2):
     x = torch.randn(8, 4)
     wrong = layer.forward(x) - x.sum(1, keepdim=True)
     stop()
     layer.backward(wrong / len(x))
""",
    ),
    "gradients_by_hand_beside_a_model": (
        "loss-without-grad",
        """
 class Layer:
     def __init__(self, like):
         self.w = like.weight.detach().clone()
     def forward(self, x):
         self.x = x
         return x @ self.w.t()
     @torch.no_grad()
     def backward(self, slope):
         self.dw = slope.t() @ self.x
         return slope @ self.w
 like = nn.Linear(4, 1, bias=False)
 o = torch.optim.SGD(like.parameters(), lr=0.1)
 layer = Layer(like)
 x, y = torch.randn(8, 4), torch.randn(8, 1)
 c = (like(x) - y).square().mean()
 o.zero_grad()
 c.backward()
 slope = 2 * (layer.forward(x) - y) / len(x)
 stop()
 layer.backward(slope)
 assert torch.allclose(layer.dw, like.weight.grad)
 o.step()
""",
    ),
    "slope_of_a_number": (
        "loss-rewrapped",
        """
 a = torch.tensor(3.0, requires_grad=True)
 a.backward()
 stop()
 b = torch.tensor(2.0, requires_grad=True)
 c = b ** 2
 c.backward()
 stop()
""",
    ),
    "guess_that_is_improved": (
        "loss-rewrapped",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, goal = torch.randn(8, 6), torch.randn(8, 3)
 guess = net(x)
 point = torch.tensor(guess.tolist(), requires_grad=True)
 op = torch.optim.Adam([point], lr=0.1)
 for _ in range(2):
     c = (point - goal).square().mean()
     op.zero_grad()
     c.backward()
     stop()
     op.step()
 near = F.mse_loss(guess, point.detach())
 o.zero_grad()
 near.backward()
 o.step()
""",
    ),
    "two_losses_of_one_size": (
        "loss-rewrapped",
        """
 body, one, two = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 1)
 o = torch.optim.SGD([*body.parameters(), *one.parameters(), *two.parameters()], lr=0.1)
 for _ in range(2):
     x, y, z = torch.randn(8, 6), torch.randint(0, 3, (8,)), torch.randn(8, 1)
     h = body(x).tanh()
     first, second = F.cross_entropy(one(h), y), F.mse_loss(two(h), z)
     c = first + second * torch.tensor(first.item() / second.item())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "labels_from_its_own_scores": (
        "nondifferentiable",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     u = torch.randn(16, 6)
     q = net(u)
     y = q.argmax(1)
     sure = q.softmax(1).max(1)[0] > 0.4
     c = F.cross_entropy(q[sure], y[sure])
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "right_answers_counted": (
        "nondifferentiable",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
     q = net(x)
     right = (q.argmax(1) == y).float().mean()
     c = F.cross_entropy(q, y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "pixels_pulled_to_whole_numbers": (
        "nondifferentiable",
        """
 net = nn.Linear(16, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.rand(4, 16), torch.randint(0, 3, (4,))
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 o.step()
 near = x.clone().requires_grad_()
 for _ in range(2):
     bytes = near * 255
     gap = (bytes - bytes.round()).square().mean()
     gap.backward()
     stop()
     near.data -= 1e-4 * near.grad
     near.grad = None
""",
    ),
    "rounded_by_a_function": (
        "nondifferentiable",
        """
 class Round(torch.autograd.Function):
     @staticmethod
     def forward(ctx, x): return x.round()
     @staticmethod
     def backward(ctx, g): return g
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = Round.apply(body(x) * 4) / 4
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_after_layer": (
        "graph-cut",
        """
 first, second = nn.Linear(6, 8), nn.Linear(8, 3)
 o1, o2 = torch.optim.SGD(first.parameters(), lr=0.1), torch.optim.SGD(second.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = first(x).relu()
     near = -(h.square().mean(1) - 1).sigmoid().log().mean()
     o1.zero_grad()
     near.backward()
     o1.step()
     c = F.cross_entropy(second(h.detach()), y)
     o2.zero_grad()
     c.backward()
     stop()
     o2.step()
""",
    ),
    "average_that_follows": (
        "graph-cut",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
 slow = copy.deepcopy(net).requires_grad_(False)
 head = nn.Linear(4, 4)
 o = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     one, two = head(net(x + 0.1 * torch.randn_like(x))), slow(x)
     c = -F.cosine_similarity(one, two).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     with torch.no_grad():
         for a, b in zip(slow.parameters(), net.parameters()):
             a.mul_(0.99).add_(b, alpha=0.01)
""",
    ),
    "cleared_just_now": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self.value = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 1)
     def forward(self, x):
         h = self.body(x).relu()
         return self.head(h), self.value(h.detach())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q, v = net(x)
     c = F.cross_entropy(q, y) + v.square().mean()
     stop()
     c.backward()
     o.step()
     o.zero_grad()
     stop()
""",
    ),
    "pooler_that_another_method_calls": (
        "unused-module",
        """
 class Encoder(nn.Module):
     def __init__(self):
         super().__init__()
         self.words, self.pooler, self.head = nn.Embedding(20, 8), nn.Linear(8, 8), nn.Linear(8, 20)
     def forward(self, ids): return self.head(self.words(ids))
     def sentence(self, ids): return self.pooler(self.words(ids).mean(1)).tanh()
 net = Encoder()
 o = torch.optim.AdamW(net.parameters())
 for _ in range(2):
     ids = torch.randint(0, 20, (4, 6))
     c = F.cross_entropy(net(ids).transpose(1, 2), ids)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "head_that_waits": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.task = nn.Linear(6, 8), nn.Linear(8, 3)
         self.later = nn.Linear(8, 3)
     def forward(self, x, head): return getattr(self, head)(self.body(x).relu())
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6), "task"), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "model_of_another_turn": (
        "unused-module",
        """
 class Judge(nn.Module):
     def __init__(self):
         super().__init__()
         self.first = nn.Linear(6, 8)
         self.last = nn.Linear(8, 1)
     def forward(self, x):
         for part in self.children(): x = part(x).relu()
         return x
 class Maker(nn.Module):
     def __init__(self):
         super().__init__()
         self.only = nn.Linear(4, 6)
     def forward(self, z): return self.only(z)
 maker, judge = Maker(), Judge()
 om, oj = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
 for _ in range(2):
     c = F.mse_loss(maker(torch.randn(8, 4)), torch.randn(8, 6))
     om.zero_grad()
     c.backward()
     stop()
     om.step()
""",
    ),
    "shift_that_an_optimizer_was_given": (
        "unregistered-params",
        """
 class Shifted(nn.Module):
     def __init__(self, net):
         super().__init__()
         self.net = net
         self.shift = torch.zeros(6, requires_grad=True)
     def forward(self, x): return self.net(x + self.shift)
 whole = Shifted(nn.Linear(6, 3).requires_grad_(False))
 o = torch.optim.Adam([whole.shift], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(whole(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "attack_inside_a_module": (
        "unregistered-params",
        """
 class Attack(nn.Module):
     def __init__(self, net):
         super().__init__()
         self.net = net
         self.delta = torch.zeros(8, 6, requires_grad=True)
     def forward(self, x): return self.net(x + self.delta)
     def go(self):
         with torch.no_grad():
             self.delta += 0.1 * self.delta.grad.sign()
         self.delta.grad = None
 attack = Attack(nn.Linear(6, 3).requires_grad_(False))
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 for _ in range(2):
     gain = F.cross_entropy(attack(x), y)
     gain.backward()
     stop()
     attack.go()
""",
    ),
    "teacher_hidden_in_a_list": (
        "unregistered-params",
        """
 class Student(nn.Module):
     def __init__(self, teacher):
         super().__init__()
         self.net = nn.Linear(6, 3)
         self.teacher = [teacher.eval().requires_grad_(False)]
     def forward(self, x):
         return F.mse_loss(self.net(x), self.teacher[0](x))
 net = Student(nn.Linear(6, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = net(torch.randn(8, 6))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "teacher_in_a_list_that_nobody_froze": (
        "unregistered-params",
        """
 class Student(nn.Module):
     def __init__(self, teacher):
         super().__init__()
         self.net, self.teacher = nn.Linear(6, 3), [teacher]
     def forward(self, x):
         with torch.no_grad():
             goal = self.teacher[0](x)
         return F.mse_loss(self.net(x), goal)
 net = Student(nn.Linear(6, 3).eval())
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = net(torch.randn(8, 6))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layers_listed_twice": (
        "unregistered-params",
        """
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.one, self.two, self.last = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)
         self.hidden = [self.one, self.two]
         self.named = {"weights": [p for p in self.parameters() if p.dim() > 1]}
     def forward(self, x):
         for layer in self.hidden: x = layer(x).relu()
         return self.last(x)
 net = Deep()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layers_listed_twice_and_moved_by_hand": (
        "unregistered-params",
        """
 class Deep(nn.Module):
     def __init__(self):
         super().__init__()
         self.one, self.two, self.last = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)
         self.hidden = [self.one, self.two]
         self.named = {"weights": [p for p in self.parameters() if p.dim() > 1]}
     def forward(self, x):
         for layer in self.hidden: x = layer(x).relu()
         return self.last(x)
 net = Deep()
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     net.zero_grad()
     c.backward()
     stop()
     with torch.no_grad():
         for p in net.parameters(): p -= 0.1 * p.grad
""",
    ),
    "output_that_is_kept_to_look_at": (
        "unregistered-params",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head, self._outputs = nn.Linear(6, 8), nn.Linear(8, 3), []
     def forward(self, x):
         h = self.body(x).relu()
         self.last = h
         self._outputs = [h]
         return self.head(h)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,))) + 1e-3 * net.last.abs().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "weights_of_spectral_norm_one": (
        "non-leaf-grad",
        """
 net = nn.Sequential(nn.utils.spectral_norm(nn.Linear(6, 8)), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.softplus(-net(torch.randn(8, 6))).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "which_pixels_matter": (
        "non-leaf-grad",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).requires_grad_(False)
 picture = torch.rand(1, 6, requires_grad=True)
 scaled = (picture - 0.5) / 0.25
 scaled.retain_grad()
 score = net(scaled)[0, 1]
 score.backward()
 stop()
 matter = picture.grad.abs() + scaled.grad.abs()
""",
    ),
    "changed_beside_the_loss": (
        "inplace-modified",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q = net(x)
     shown = q.exp()
     c = F.cross_entropy(q, y)
     shown += 1
     total = shown.sum()
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "relu_in_place": (
        "inplace-modified",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     x.mul_(2).sub_(1)
     q = net(x)
     q += 1
     c = F.cross_entropy(q, y)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "state_of_which_a_part_is_kept": (
        "graph-freed",
        """
 cell, head = nn.GRUCell(4, 8), nn.Linear(8, 1)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 h = torch.zeros(2, 8)
 for k in range(4):
     x = torch.randn(2, 4)
     if k % 2 == 0: h = h.detach()
     stop()
     h = cell(x, h)
     c = head(h).square().mean()
     c.backward(retain_graph=k % 2 == 0)
     if k % 2:
         o.step()
         o.zero_grad()
""",
    ),
    "gradients_summed_of_one_loss": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     total = 0.0
     for _ in range(6):
         x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
         total = total + F.cross_entropy(net(x), y) / 6
         stop()
     o.zero_grad()
     total.backward()
     stop()
     o.step()
""",
    ),
    "outputs_of_one_epoch": (
        "retained-graph",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 seen = []
 for k in range(6):
     if k % 2 == 0:
         seen.clear()
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q = net(x).tanh()
     seen.append(q)
     c = F.cross_entropy(q, y)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
""",
    ),
    "attributes_that_freeze_nothing_of_torch": (
        "freeze-typo",
        """
 class Settings:
     def __init__(self): self.trainable = False
 class Net(nn.Module):
     def __init__(self, settings):
         super().__init__()
         self.settings, self.body = settings, nn.Linear(6, 3)
         self.requires_gradient = True
     def forward(self, x): return self.body(x)
 net = Net(Settings())
 net.body.weight.trainable_by = "all"
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "frozen_and_marked_so": (
        "freeze-typo",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 for q in net[0].parameters():
     q.requires_grad = False
     q.trainable = False
 net[0].trainable = False
 o = torch.optim.SGD(net[2].parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attack_on_a_frozen_net": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 o.step()
 net.requires_grad_(False)
 delta = torch.zeros_like(x, requires_grad=True)
 for _ in range(2):
     gain = F.cross_entropy(net(x + delta), y)
     stop()
     gain.backward()
     stop()
     delta.data += 0.1 * delta.grad.sign()
     delta.grad = None
""",
    ),
    "only_the_scales_of_norms": (
        "frozen-params",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 3))
 net.requires_grad_(False)
 net[1].weight.requires_grad_(True)
 o = torch.optim.Adam(net[1].parameters(), lr=1e-3)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "second_backward_out_of_sight": (
        "missing-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 3)
         self.scale = nn.Parameter(torch.ones(8))
         self.extra = nn.Linear(8, 3)
     def forward(self, x):
         h = self.body(x).relu() * self.scale.detach()
         return self.head(h), h
 def near(net): return (net.scale - 2).square().mean() + net.extra.weight.square().mean()
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q, h = net(x)
     c = F.cross_entropy(q, y)
     o.zero_grad()
     c.backward()
     stop()
     near(net).backward()
     o.step()
""",
    ),
    "weight_of_a_loss_that_learns_too": (
        "graph-cut",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.main, self.side = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 1)
     def forward(self, x):
         h = self.body(x).relu()
         return self.main(h), self.side(h)
 def calm(s): return (s - 1).square().mean()
 net = Two()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q, s = net(x)
     c = (F.cross_entropy(q, y, reduction="none") * s.detach().sigmoid()[:, 0]).mean()
     o.zero_grad()
     stop()
     c.backward(retain_graph=True)
     calm(s).backward()
     o.step()
""",
    ),
    "summed_for_some_rounds": (
        "graph-grows",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 total = 0.0
 for k in range(12):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     total = total + F.cross_entropy(net(x), y)
     stop()
     if (k + 1) % 6 == 0:
         o.zero_grad()
         total.backward()
         o.step()
         total = 0.0
""",
    ),
    "attribute_made_of_a_scaled_input": (
        "non-leaf-grad",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Linear(6, 3)
     def forward(self, x):
         self.given = x
         self._scaled = x / 2
         return self.body(x / 2)
 net = Net().requires_grad_(False)
 def score(x):
     x = x.clone().requires_grad_()
     q = net(x * 2)[0, 1]
     del x
     stop()
     return q
 score(torch.randn(1, 6)).backward()
 stop()
""",
    ),
    "turn_of_the_judge": (
        "graph-cut",
        """
 class Pair:
     def __init__(self):
         self.g, self.d = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(), nn.Linear(8, 1))
         self.og, self.od = torch.optim.Adam(self.g.parameters()), torch.optim.Adam(self.d.parameters())
     def judge(self, real, z):
         fake = self.g(z)
         c = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
         self.od.zero_grad()
         c.backward()
         stop()
         self.od.step()
     def make(self, z):
         c = F.softplus(-self.d(self.g(z))).mean()
         self.og.zero_grad()
         c.backward()
         stop()
         self.og.step()
 pair = Pair()
 for _ in range(2):
     pair.judge(torch.randn(8, 6), torch.randn(8, 4))
     pair.make(torch.randn(8, 4))
""",
    ),
    "each_layer_by_itself": (
        "graph-cut",
        """
 first, second = nn.Linear(6, 8), nn.Linear(8, 3)
 o1, o2 = torch.optim.SGD(first.parameters(), lr=0.1), torch.optim.SGD(second.parameters(), lr=0.1)
 def settle(o, h):
     near = (h.square().mean(1) - 1).square().mean()
     o.zero_grad()
     near.backward()
     o.step()
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = first(x).relu()
     settle(o1, h)
     c = F.cross_entropy(second(h.detach()), y)
     o2.zero_grad()
     c.backward()
     stop()
     o2.step()
""",
    ),
    "head_called_in_some_rounds": (
        "unused-module",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.main = nn.Linear(6, 8), nn.Linear(8, 3)
         self.extra = nn.Linear(8, 3)
     def forward(self, x):
         h = self.body(x).relu()
         return self.main(h), h
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     q, h = net(x)
     c = F.cross_entropy(q, y)
     if k % 2:
         c = c + F.cross_entropy(net.extra(h), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "looked_at_after_the_backward": (
        "graph-freed",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     h = body(x).relu()
     c = F.cross_entropy(head(h), y)
     o.zero_grad()
     c.backward()
     o.step()
     stop()
     with torch.no_grad():
         shown = head(h)
""",
    ),
    "start_made_of_predictions": (
        "loss-rewrapped",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def start(guess): return torch.tensor([one.item() for one in guess.mean(0)], requires_grad=True)
 for k in range(2):
     x, y = torch.randn(8, 6), torch.randn(8, 3)
     point = start(net(x))
     far = (point - y.mean(0)).square().sum()
     far.backward()
     stop()
     c = F.mse_loss(net(x), y - 0.1 * point.grad)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "reentrant_behind_an_embedding": (
        "checkpoint-cut",
        """
 from torch.utils.checkpoint import checkpoint
 class Tower(nn.Module):
     def __init__(self):
         super().__init__()
         self.words = nn.Embedding(9, 6)
         self.layers = nn.ModuleList([nn.Sequential(nn.Linear(6, 6), nn.GELU()) for _ in range(2)])
         self.last = nn.Linear(6, 2)
     def forward(self, x):
         h = self.words(x).mean(1)
         for layer in self.layers:
             h = checkpoint(layer, h, use_reentrant=True)
         return self.last(h)
 net = Tower()
 opt = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     c = F.cross_entropy(net(torch.randint(0, 9, (8, 4))), torch.randint(0, 2, (8,)))
     opt.zero_grad()
     c.backward()
     stop()
     opt.step()
""",
    ),
    "kept_gradients_of_scaled_weights": (
        "non-leaf-grad",
        """
 def begin(): return {"w": torch.randn(6, 1, requires_grad=True) * 0.1}
 def sizes(those):
     return [w.grad.norm() for w in those.values()]
 for k in range(2):
     weights = begin()
     for w in weights.values(): w.retain_grad()
     x = torch.randn(8, 6)
     c = (x @ weights["w"] - x.sum(1, keepdim=True)).square().mean()
     stop()
     c.backward()
     stop()
     sizes(weights)
""",
    ),
    "body_without_gradients_at_first_only": (
        "missing-grad",
        """
 class Engine:
     def __init__(self):
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 3)
         self.opt = torch.optim.SGD([*self.body.parameters(), *self.head.parameters()], lr=0.1)
         self.round = 0
     def encode(self, x):
         if self.round < 2:
             with torch.no_grad():
                 return self.body(x)
         return self.body(x)
     def go(self, x, y):
         c = F.cross_entropy(self.head(self.encode(x)), y)
         self.opt.zero_grad()
         c.backward()
         stop()
         self.opt.step()
         self.round += 1
 one = Engine()
 for _ in range(4):
     one.go(torch.randn(8, 6), torch.arange(8) % 3)
""",
    ),
    "sum_of_losses_seen_from_its_caller": (
        "retained-graph",
        """
 class Engine(object):
     def __init__(self):
         self.net, self.total = nn.Linear(6, 1), None
         self.opt = torch.optim.SGD(self.net.parameters(), lr=0.01)
     def note(self, c):
         if self.total is None:
             self.total = c
         else:
             self.total = self.total + 0.5 * c
     def one(self, x, y):
         self.note(F.mse_loss(self.net(x), y))
     def step(self):
         self.opt.zero_grad()
         self.total.backward()
         self.opt.step()
         self.total = None
     def fit(self):
         for k in range(8):
             self.one(torch.randn(8, 6), torch.randn(8, 1))
             stop()
             if k % 4 == 3:
                 self.step()
 Engine().fit()
""",
    ),
    "body_has_its_own_turn": (
        "missing-grad",
        """
 class Engine:
     def __init__(self):
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 6)
         self.slow = torch.optim.SGD(self.body.parameters(), lr=0.01)
         self.fast = torch.optim.SGD(self.head.parameters(), lr=0.1)
     @torch.no_grad()
     def encode(self, x):
         return self.body(x)
     def go(self, x):
         c = F.mse_loss(self.head(self.encode(x)), x)
         self.fast.zero_grad()
         c.backward()
         stop()
         self.fast.step()
 one = Engine()
 for _ in range(2):
     one.go(torch.randn(8, 6))
""",
    ),
    "head_first_and_the_whole_later": (
        "missing-grad",
        """
 class Engine(object):
     def __init__(self):
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.Tanh()), nn.Linear(8, 3)
         self.opt = torch.optim.SGD([*self.body.parameters(), *self.head.parameters()], lr=0.1)
     def probe(self, x):
         with torch.no_grad():
             h = self.body(x)
         return self.head(h)
     def whole(self, x):
         return self.head(self.body(x))
     def go(self, forward, x, y):
         c = F.cross_entropy(forward(x), y)
         self.opt.zero_grad()
         c.backward()
         stop()
         self.opt.step()
     def first(self, x, y):
         q = self.probe(x)
         c = F.cross_entropy(q, y)
         self.opt.zero_grad()
         c.backward()
         stop()
         self.opt.step()
 one = Engine()
 for _ in range(2):
     one.first(torch.randn(8, 6), torch.arange(8) % 3)
 for _ in range(2):
     one.go(one.whole, torch.randn(8, 6), torch.arange(8) % 3)
""",
    ),
    "weight_used_by_itself_and_its_layer_for_a_metric": (
        "missing-grad",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.arange(8) % 3
     c = F.cross_entropy(head(torch.tanh(F.linear(x, body.weight))), y)
     with torch.no_grad():
         spread = body(x).std()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "last_losses_kept": (
        "retained-graph",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 last, logs = [], {"c": []}
 for _ in range(6):
     c = F.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 2))
     o.zero_grad()
     c.backward()
     o.step()
     last.append(c)
     logs["c"].append(c)
     if len(last) > 3:
         del last[0]
         del logs["c"][0]
     stop()
""",
    ),
    "last_losses_kept_by_a_function": (
        "retained-graph",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def keep(held, one):
     held.append(one)
     held[:] = held[-3:]
 last, all_of_now = [], []
 def note(held, one):
     held.append(one)
 for _ in range(6):
     c = F.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 2))
     o.zero_grad()
     c.backward()
     o.step()
     keep(last, c)
     note(all_of_now, c)
     stop()
     if len(all_of_now) > 3:
         del all_of_now[0]
""",
    ),
}
