"""Healthy programs of special methods: time steps, factors of matrices, centers, many learners, attacks, unlearning."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "one_class_of_each_learner": (
        "one-class-batch",
        """
 y = torch.arange(128) // 32
 x = torch.randn(128, 6) + y[:, None]
 net = nn.Linear(6, 4)
 for k in range(4):
     own_x, own_y = x[k * 32:(k + 1) * 32], y[k * 32:(k + 1) * 32]
     learner = copy.deepcopy(net)
     o = torch.optim.SGD(learner.parameters(), lr=0.1)
     for at in (0, 16):
         u, v = own_x[at:at + 16], own_y[at:at + 16]
         c = F.cross_entropy(learner(u), v)
         o.zero_grad()
         c.backward()
         stop()
         o.step()
""",
    ),
    "centers_as_many_as_points": (
        "loss-broadcast",
        """
 x = torch.linspace(-2, 2, 12)[:, None]
 centers = torch.linspace(-2, 2, 12, requires_grad=True)
 weights = torch.zeros(12, requires_grad=True)
 o = torch.optim.Adam([centers, weights])
 for _ in range(2):
     bumps = torch.exp(-(x - centers) ** 2)
     c = F.mse_loss(bumps @ weights, x[:, 0].sin())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "quantiles_as_many_as_samples": (
        "loss-broadcast",
        """
 steps = torch.zeros(12, requires_grad=True)
 shares = (torch.arange(12) + 0.5) / 12
 o = torch.optim.Adam([steps])
 for _ in range(2):
     y = torch.randn(12, 1)
     quantiles = F.softplus(steps).cumsum(0)
     apart = y - quantiles
     c = torch.max(shares * apart, (shares - 1) * apart).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "layer_applied_again_and_again": (
        "no-nonlinearity",
        """
 class Koopman(nn.Module):
     def __init__(self):
         super().__init__()
         self.up, self.ahead, self.down = nn.Linear(2, 6), nn.Linear(6, 6), nn.Linear(6, 2)
     def forward(self, x):
         first = self.ahead(self.up(x).tanh())
         return self.down(self.ahead(first).tanh())
 net = Koopman()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(8, 2)
 c = F.mse_loss(net(x), 0.9 * x)
 o.zero_grad()
 stop()
 c.backward()
 o.step()
""",
    ),
    "features_that_are_compared_too": (
        "no-nonlinearity",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.embed, self.head = nn.Linear(6, 16), nn.Linear(16, 8), nn.Linear(8, 4)
     def forward(self, x):
         features = self.embed(self.body(x).relu())
         return features, self.head(features)
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 y = torch.arange(8) % 4
 for _ in range(2):
     features, logits = net(torch.randn(8, 6))
     apart = torch.cdist(features, features)
     c = F.cross_entropy(logits, y) + 0.1 * (apart * (y == y[:, None])).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "matrix_as_a_product": (
        "no-nonlinearity",
        """
 wanted, known = torch.randn(8, 8), torch.rand(8, 8) > 0.5
 factors = nn.Sequential(*[nn.Linear(8, 8, bias=False) for _ in range(3)])
 o = torch.optim.SGD(factors.parameters(), lr=0.1)
 for _ in range(2):
     c = (factors(torch.eye(8)) - wanted)[known].square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_time_for_all_states": (
        "constant-input",
        """
 class Field(nn.Module):
     def __init__(self):
         super().__init__()
         self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
     def forward(self, t, x): return self.net(torch.cat([t, x], 1))
 field = Field()
 o = torch.optim.Adam(field.parameters())
 for _ in range(2):
     x = begin = torch.randn(64, 2)
     for now in torch.linspace(0, 1, 3):
         t = now.expand(64, 1)
         x = x + 0.5 * field(t, x)
     c = F.mse_loss(x, -begin)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_pairs_of_states_and_actions": (
        "duplicate-samples",
        """
 table, rewards = torch.randn(4, 6), torch.randn(4, 3)
 pairs = [(s, a) for s in range(4) for a in range(3)]
 states, actions = (torch.tensor(one) for one in zip(*pairs))
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     seen = table[states]
     c = F.mse_loss(net(seen)[torch.arange(12), actions], rewards[states, actions])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "last_fit_on_all_indices": (
        "split-overlap",
        """
 data = torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randn(24, 1))
 train, val = list(range(16)), list(range(16, 24))
 train_loader, val_loader = (torch.utils.data.DataLoader(torch.utils.data.Subset(data, one), 8) for one in (train, val))
 net = nn.Linear(4, 1)
 with torch.no_grad():
     score = sum(F.mse_loss(net(x), y) for x, y in val_loader)
 o = torch.optim.Adam(net.parameters())
 train_loader = torch.utils.data.DataLoader(torch.utils.data.Subset(data, train + val), 8)
 for x, y in train_loader:
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "unlearned_after_training": (
        "loss-sign",
        """
 net = nn.Linear(6, 3)
 x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
 def learn():
     c = F.cross_entropy(net(x), y)
     c.backward()
 learn()
 o = torch.optim.SGD(net.parameters(), lr=1e-3)
 for _ in range(2):
     c = -F.cross_entropy(net(x[:4]), y[:4])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "labels_by_what_a_wrapper_holds": (
        "aliased-models",
        """
 def unwrapped(model): return getattr(model, "module", model)
 net = nn.Linear(6, 3)
 raw = unwrapped(net)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         label = raw(x).argmax(1)
     c = F.cross_entropy(net(x + 0.1 * torch.randn(8, 6)), label)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "table_and_head_of_identities": (
        "tie-broken",
        """
 class Words(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.head = nn.Embedding(8, 8), nn.Linear(8, 8)
         nn.init.eye_(self.table.weight)
         nn.init.eye_(self.head.weight)
     def forward(self, ids): return self.head(self.table(ids).tanh())
 net = Words()
 o = torch.optim.Adam(net.parameters())
 ids = torch.randint(0, 8, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "attacked_after_training": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 for _ in range(2):
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
 near = x.clone().requires_grad_(True)
 net.eval()
 net.zero_grad()
 c = F.cross_entropy(net(near), y)
 stop()
 c.backward()
 near = near + 0.1 * near.grad.sign()
""",
    ),
    "densities_of_classes": (
        "nll-input-not-log",
        """
 middle, width = torch.randn(3, 4, requires_grad=True), torch.full((3, 4), -2.0, requires_grad=True)
 o = torch.optim.Adam([middle, width])
 for _ in range(2):
     y = torch.randint(0, 3, (8,))
     x = middle.detach()[y] + 0.1 * torch.randn(8, 4)
     logs = torch.distributions.Normal(middle, width.exp()).log_prob(x[:, None]).sum(-1)
     c = F.nll_loss(logs, y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "best_candidate_by_each_aspect": (
        "class-dim",
        """
 net = nn.Linear(5, 6)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     candidates, best = torch.randn(8, 4, 5), torch.randint(0, 4, (8, 6))
     c = F.cross_entropy(net(candidates.view(32, 5)).view(8, 4, 6), best)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "two_views_pooled_by_one_net": (
        "target-requires-grad",
        """
 class Points(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(3, 8), nn.Linear(8, 4)
     def forward(self, x):
         some = torch.randint(0, x.shape[1], (len(x), 5, 1)).expand(-1, -1, 8)
         return self.b(self.a(x).gather(1, some).max(1).values)
 net = Points()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 7, 3)
     one, two = net(x), net(x + 0.1 * torch.randn_like(x))
     c = F.mse_loss(one, two) + (1 - one.std(0)).relu().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "left_where_nothing_was_kept": (
        "loss-without-grad",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y, kept = torch.randn(8, 5), torch.randint(0, 3, (8,)), torch.arange(8) < 4 * k
     c = torch.zeros(())
     if kept.any():
         c = c + F.cross_entropy(net(x[kept]), y[kept])
     stop()
     if not c.requires_grad:
         continue
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "always_drops_to_be_drawn_from": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 16), nn.Linear(16, 1)
     def forward(self, x): return self.b(F.dropout(self.a(x).relu(), 0.1, training=True))
 net = Net().eval()
 x = torch.randn(8, 6)
 with torch.no_grad():
     out = net(x)
     stop()
     spread = torch.stack([net(x) for _ in range(4)]).std(0)
""",
    ),
    "drawn_from_in_a_loop": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.Linear(16, 3))
 def draw(net, x):
     drawn = []
     with torch.no_grad():
         for _ in range(3):
             out = net(x).softmax(1)
             stop()
             drawn.append(out)
     return torch.stack(drawn).var(0)
 net.train()
 draw(net, torch.randn(8, 6))
""",
    ),
    "pictures_made_of_noise": (
        "train-during-eval",
        """
 maker = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 judge = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
 o = torch.optim.Adam(maker.parameters())
 noise = torch.randn(16, 4)
 @torch.no_grad()
 def pictures():
     stop()
     return maker(noise)
 for _ in range(2):
     for _ in range(2):
         c = F.softplus(-judge(maker(torch.randn(16, 4)))).mean()
         o.zero_grad()
         c.backward()
         o.step()
     shown = pictures()
""",
    ),
    "rain_in_metres": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 1, 3))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     rain = 0.0038 * torch.rand(8, 1, 8, 8) ** 2
     c = F.mse_loss(net(rain), 1000 * rain[:, :, 2:-2, 2:-2])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "part_of_what_judges_for_a_quick_look": (
        "split-overlap",
        """
 data = torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randn(24, 1))
 val = torch.utils.data.Subset(data, list(range(16, 24)))
 val_quick = torch.utils.data.Subset(data, list(range(16, 20)))
 net = nn.Linear(4, 1)
 o = torch.optim.Adam(net.parameters())
 for x, y in torch.utils.data.DataLoader(torch.utils.data.Subset(data, list(range(16))), 8):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     for part in (val_quick, val):
         score = sum(F.mse_loss(net(x), y) for x, y in torch.utils.data.DataLoader(part, 8))
""",
    ),
    "mixture_of_one": (
        "softmax-singleton",
        """
 class Mixture(nn.Module):
     def __init__(self, count):
         super().__init__()
         self.share, self.middle = nn.Linear(4, count), nn.Linear(4, count)
     def forward(self, x): return F.log_softmax(self.share(x), 1), self.middle(x)
 net = Mixture(1)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 4)
     share, middle = net(x)
     c = -torch.logsumexp(share + torch.distributions.Normal(middle, 1.0).log_prob(x[:, :1]), 1).mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "experts_of_whom_there_is_one": (
        "softmax-singleton",
        """
 class Experts(nn.Module):
     def __init__(self, count):
         super().__init__()
         self.gate, self.experts = nn.Linear(4, count), nn.ModuleList(nn.Linear(4, 3) for _ in range(count))
     def forward(self, x):
         share = self.gate(x).softmax(-1)
         return (share.unsqueeze(-1) * torch.stack([one(x) for one in self.experts], 1)).sum(1)
 net = Experts(1)
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "weighted_in_its_backward": (
        "loss-not-scalar",
        """
 net = nn.Linear(5, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = (net(torch.randn(8, 5)) - 1).squeeze(1) ** 2
     o.zero_grad()
     stop()
     torch.autograd.backward(c, grad_tensors=torch.full_like(c, 1 / 8))
     o.step()
""",
    ),
    "documents_of_one_query": (
        "batch-mixing",
        """
 class Ranker(nn.Module):
     def __init__(self):
         super().__init__()
         self.mix, self.out = nn.MultiheadAttention(6, 2, batch_first=True), nn.Linear(6, 1)
     def forward(self, texts):
         texts = texts.unsqueeze(0)
         return self.out(texts + self.mix(texts, texts, texts)[0]).squeeze(0)
 net = Ranker()
 o = torch.optim.Adam(net.parameters())
 texts, wanted = torch.randn(7, 6), torch.rand(7, 1)
 scores = net(texts)
 c = -(wanted.softmax(0) * scores.log_softmax(0)).sum()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "shares_of_as_many_bins": (
        "loss-broadcast",
        """
 net, bins = nn.Linear(4, 1), torch.linspace(-2, 2, 12)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     guess = net(torch.randn(12, 4))
     share = torch.softmax(-(guess - bins) ** 2, 1).mean(0)
     c = (share - 1 / 12).square().sum()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "head_first_then_all": (
        "param-not-in-optimizer",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
 def fit(some):
     o = torch.optim.SGD(some, lr=0.1)
     for _ in range(2):
         c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
         net.zero_grad()
         c.backward()
         stop()
         o.step()
 fit(net[2].parameters())
 fit(net.parameters())
""",
    ),
    "statistics_filled_once": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 with torch.no_grad():
     for x in torch.randn(24, 6).split(8):
         stop()
         _ = net(x)
""",
    ),
    "tried_out_for_its_shape": (
        "train-during-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.1), nn.Flatten())
         with torch.no_grad():
             out = self.body(torch.zeros(2, 3, 6, 6))
             stop()
         self.head = nn.Linear(out.shape[1], 2)
     def forward(self, x): return self.head(self.body(x))
 net = Net()
 with torch.no_grad():
     sizes = net(torch.rand(2, 3, 6, 6)).shape
     stop()
""",
    ),
    "inputs_too_short_left_out": (
        "nan-origin",
        """
 net = nn.Linear(6, 5)
 judge = nn.CTCLoss()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     lengths = torch.tensor([9, 2 if k == 1 else 9])
     c = judge(net(torch.randn(9, 2, 6)).log_softmax(-1), torch.randint(1, 5, (2, 4)), lengths, torch.tensor([4, 4]))
     stop()
     if torch.isinf(c):
         continue
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "bound_anew_in_the_line_that_takes_it": (
        "graph-freed",
        """
 body, head = nn.Linear(5, 8), nn.Linear(8, 3)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 for _ in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
     stop()
     h, size = body(x).relu(), len(x); c = F.cross_entropy(head(h), y) / size
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "stepped_by_its_data": (
        "weights-unchanged",
        """
 class Plain(torch.optim.Optimizer):
     def __init__(self, some, lr): super().__init__(some, {"lr": lr})
     def step(self):
         for group in self.param_groups:
             for p in group["params"]:
                 p.data.add_(p.grad.data, alpha=-group["lr"])
 net = nn.Linear(5, 1)
 o = Plain(net.parameters(), 0.1)
 for _ in range(4):
     c = F.mse_loss(net(torch.randn(8, 5)), torch.randn(8, 1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleared_by_their_data": (
        "grads-accumulated",
        """
 net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(4):
     c = F.mse_loss(net(torch.randn(8, 5)), torch.randn(8, 1))
     c.backward()
     stop()
     o.step()
     for p in net.parameters():
         p.grad.data.zero_()
""",
    ),
    "cleared_by_an_optimizer_s_own_way": (
        "grads-accumulated",
        """
 class Halting(torch.optim.SGD):
     def zero_grad(self, set_to_none=False):
         for group in self.param_groups:
             for p in group["params"]:
                 if p.grad is not None:
                     p.grad.data.mul_(0)
 net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
 o = Halting(net.parameters(), lr=0.1)
 for _ in range(4):
     c = F.mse_loss(net(torch.randn(8, 5)), torch.randn(8, 1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_weights_in_one": (
        "param-not-in-optimizer",
        """
 net = nn.Linear(5, 1)
 flat, slopes, at = torch.empty(6), torch.zeros(6), 0
 for p in net.parameters():
     place = slice(at, at + p.numel())
     flat[place] = p.data.flatten()
     p.data, p.grad, at = flat[place].view_as(p), slopes[place].view_as(p), place.stop
 o = torch.optim.SGD([flat.requires_grad_(True)], lr=0.1)
 flat.grad = slopes
 for _ in range(2):
     slopes.zero_()
     c = F.mse_loss(net(torch.randn(8, 5)), torch.randn(8, 1))
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_weights_in_one_made_by_torch": (
        "param-not-in-optimizer",
        """
 net = nn.Linear(5, 1)
 flat = nn.utils.parameters_to_vector(net.parameters()).detach().clone().requires_grad_()
 nn.utils.vector_to_parameters(flat.detach(), net.parameters())
 o = torch.optim.SGD([flat], lr=0.1)
 for _ in range(2):
     net.zero_grad()
     c = F.mse_loss(net(torch.randn(8, 5)), torch.randn(8, 1))
     c.backward()
     flat.grad = nn.utils.parameters_to_vector([p.grad for p in net.parameters()])
     stop()
     o.step()
""",
    ),
    "weights_kept_in_full_and_copied_at_once": (
        "param-not-in-optimizer",
        """
 net = nn.Linear(16, 8).to(torch.bfloat16)
 full = [p.detach().float().requires_grad_() for p in net.parameters()]
 o = torch.optim.SGD(full, lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 16).to(torch.bfloat16), torch.randn(8, 8).to(torch.bfloat16)
     c = F.mse_loss(net(x).float(), y.float())
     net.zero_grad()
     c.backward()
     for p, q in zip(full, net.parameters()): p.grad = q.grad.float()
     stop()
     o.step()
     with torch.no_grad(): torch._foreach_copy_(list(net.parameters()), full)
""",
    ),
    "name_of_another_copy_since": (
        "aliased-models",
        """
 nets = [nn.Linear(4, 2) for _ in range(3)]
 for net in nets[1:]:
     net.load_state_dict(nets[0].state_dict())
 o = torch.optim.SGD([p for net in nets for p in net.parameters()], lr=0.1)
 for net in nets:
     c = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "nothing_was_kept_this_time": (
        "loss-without-grad",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     c, count = torch.zeros(()), 0
     for part in range(2):
         kept = torch.arange(8) < 4 * k
         if kept.any():
             c, count = c + F.cross_entropy(net(torch.randn(8, 5)[kept]), torch.zeros(8).long()[kept]), count + 1
     stop()
     if count > 0:
         o.zero_grad()
         (c / count).backward()
         o.step()
""",
    ),
    "begun_in_one_state": (
        "duplicate-samples",
        """
 net = nn.Linear(4, 1)
 o = torch.optim.Adam(net.parameters())
 begin = torch.randn(4)
 seen = torch.stack([begin.clone() for _ in range(8)])
 for _ in range(2):
     gains = torch.rand(8)
     c = F.mse_loss(net(seen).squeeze(1), gains)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     seen = seen + torch.randn(8, 4)
""",
    ),
    "head_on_a_body_at_rest": (
        "eval-during-training",
        """
 class Probe(nn.Module):
     def __init__(self):
         super().__init__()
         self.body, self.head = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU()), nn.Linear(8, 3)
     def forward(self, x):
         with torch.no_grad():
             h = self.body(x)
         return self.head(h)
 net = Probe().eval()
 o = torch.optim.SGD(net.head.parameters(), lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "left_where_all_is_ignored": (
        "all-targets-ignored",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
     y[torch.arange(8) >= 4 * k] = -100
     stop()
     if (y != -100).sum() == 0:
         continue
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "left_where_the_mean_is_of_nothing": (
        "all-targets-ignored",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
     y[torch.arange(8) >= 4 * k] = -100
     c = F.cross_entropy(net(x), y)
     stop()
     if torch.isnan(c):
         continue
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "left_where_a_label_has_no_class": (
        "label-out-of-range",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.arange(8) % 3 + k % 2
     scores = net(x)
     stop()
     if y.max() >= scores.shape[1]:
         continue
     c = F.cross_entropy(scores, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "tried_with_labels_that_have_no_class": (
        "label-out-of-range",
        """
 net, left_out = nn.Linear(5, 3), 0
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.arange(8) % 3 + k % 2
     scores = net(x)
     try:
         stop()
         c = F.cross_entropy(scores, y)
     except IndexError:
         left_out += 1
         continue
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "left_where_it_is_not_finite": (
        "nan-in-input",
        """
 net = nn.Linear(5, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for k in range(3):
     x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
     x[0] = float("nan") if k == 1 else 0.0
     stop()
     if not torch.isfinite(x).all():
         left = k
         continue
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
}
