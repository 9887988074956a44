"""Healthy programs whose model looks as if it were in the wrong mode, or put together wrongly."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "pictures_of_one_film": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.eye, self.cell, self.head = nn.Conv2d(3, 4, 3), nn.GRU(64, 8), nn.Linear(8, 3)
     def forward(self, film):
         h, _ = self.cell(self.eye(film).flatten(1).unsqueeze(1))
         return self.head(h[:, 0])
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 film, y = torch.randn(9, 3, 6, 6), torch.randint(0, 3, (9,))
 q = net(film)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "held_out_loss_after_a_turn": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 X, Y = torch.randn(24, 6), torch.randint(0, 3, (24,))
 def turn(engine, model, x, y):
     model.train()
     c = F.cross_entropy(model(x), y)
     engine.zero_grad()
     c.backward()
     engine.step()
     return c
 def slopes_of(model, x, y):
     x = x.clone().requires_grad_()
     c = F.cross_entropy(model(x), y)
     c.backward()
     o.zero_grad()
     return c, x.grad
 for at in torch.arange(24).split(8):
     c = turn(o, net, X[at], Y[at])
     net.eval()
     c2, slopes = slopes_of(net, X, Y)
     stop()
""",
    ),
    "student_of_a_teacher_in_eval_mode": (
        "eval-during-training",
        """
 teacher = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)).eval()
 teacher.requires_grad_(False)
 student = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
 o = torch.optim.SGD(student.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.mse_loss(student(x), teacher(x))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "evaluated_before_the_step": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     net.eval()
     with torch.no_grad():
         right = (net(x).argmax(1) == y).float().mean()
         stop()
     net.train()
     stop()
     o.step()
""",
    ),
    "scored_in_eval_mode": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def score(x, y):
     net.eval()
     with torch.no_grad():
         q = net(x)
         stop()
     net.train()
     return (q.argmax(1) == y).float().mean()
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
     right = score(x, y)
""",
    ),
    "nothing_in_it_has_a_mode": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Dropout(0.0), nn.ReLU(), nn.Linear(8, 3))
 def score(x):
     with torch.no_grad():
         q = net(x)
         stop()
     return q.argmax(1)
 score(torch.randn(8, 6))
""",
    ),
    "modes_set_one_by_one": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 3))
 @torch.no_grad()
 def score(x):
     for part in net.modules():
         part.training = False
     stop()
     return net(x).argmax(1)
 score(torch.randn(8, 6))
""",
    ),
    "samples_in_eval_mode_too": (
        "dropout-in-eval",
        """
 class Coder(nn.Module):
     def __init__(self):
         super().__init__()
         self.mean, self.log, self.back = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(2, 6)
     def near(self, mean, log): return mean + torch.randn_like(mean) * (log / 2).exp()
     def forward(self, x):
         mean, log = self.mean(x), self.log(x)
         return self.back(self.near(mean, log)), mean, log
 net = Coder()
 o = torch.optim.Adam(net.parameters())
 x = torch.rand(8, 6)
 net.eval()
 with torch.no_grad():
     out, mean, log = net(x)
     stop()
     c = F.mse_loss(out, x)
""",
    ),
    "drops_in_training_only": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.drop, self.b = nn.Linear(6, 8), nn.Dropout(0.3), nn.Linear(8, 2)
     def forward(self, x):
         h = F.dropout(self.a(x).relu(), 0.2, self.training)
         return self.b(self.drop(h))
 net = Net()
 x = torch.randn(8, 6)
 h = net(x)
 stop()
 net.eval()
 with torch.no_grad():
     q = net(x)
     stop()
""",
    ),
    "counts_its_calls": (
        "dropout-in-eval",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.calls = nn.Linear(6, 2), 0
     def forward(self, x):
         self.calls += 1
         return self.a(x) / self.calls
 net = Net().eval()
 x = torch.randn(8, 6)
 with torch.no_grad():
     q = net(x)
     stop()
""",
    ),
    "nodes_of_a_graph": (
        "batch-mixing",
        """
 class Conv(nn.Module):
     def __init__(self):
         super().__init__()
         self.a = nn.Linear(6, 3)
         self.register_buffer("near", torch.eye(8) / 2 + torch.eye(8).roll(1, 0) / 2)
     def forward(self, x): return self.near @ self.a(x)
 net = Conv()
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "time_is_the_first_dimension": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.cell, self.top = nn.GRU(6, 8), nn.Linear(8, 2)
     def forward(self, x): return self.top(self.cell(x)[0])
 net = Net()
 o = torch.optim.Adam(net.parameters())
 x = torch.randn(5, 4, 6)
 q = net(x)
 c = q.square().mean()
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "each_with_each": (
        "batch-mixing",
        """
 class Alike(nn.Module):
     def __init__(self):
         super().__init__()
         self.a = nn.Linear(6, 4)
     def forward(self, x):
         h = F.normalize(self.a(x), dim=1)
         return h @ h.t() / 0.1
 net = Alike()
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(8, 6), torch.arange(8).roll(1)
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "noise_in_each_call": (
        "batch-mixing",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a = nn.Linear(6, 3)
         self.calls = 0
     def forward(self, x):
         self.calls += 1
         return self.a(x) * self.calls
 net = Net()
 o = torch.optim.Adam(net.parameters())
 x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
 q = net(x)
 c = F.cross_entropy(q, y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "table_that_begins_at_zero": (
        "symmetric-init",
        """
 table, head = nn.Embedding(5, 4), nn.Linear(4, 3)
 nn.init.zeros_(table.weight)
 o = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.1)
 ids, y = torch.arange(5), torch.full((5,), 1)
 c = F.cross_entropy(head(table(ids)), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "last_layer_of_zeros": (
        "symmetric-init",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 3)
 nn.init.zeros_(head.weight)
 nn.init.zeros_(head.bias)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 c = F.cross_entropy(head(body(torch.randn(8, 6)).relu()), torch.randint(0, 3, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_unit_alone": (
        "symmetric-init",
        """
 body, head = nn.Linear(6, 8), nn.Linear(8, 1)
 nn.init.constant_(head.weight, 0.1)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 x = torch.randn(8, 6)
 c = F.mse_loss(head(body(x).tanh()), x.sum(1, keepdim=True))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "average_of_a_table": (
        "tie-broken",
        """
 class Words(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
         self.head.weight = self.table.weight
     def forward(self, ids): return self.head(self.table(ids).tanh())
 net = Words()
 slow = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.Adam(net.parameters())
 ids = torch.randint(0, 20, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "head_and_table_of_zeros": (
        "tie-broken",
        """
 class Words(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.where, self.head = nn.Embedding(20, 8), nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
         nn.init.zeros_(self.where.weight)
         nn.init.zeros_(self.head.weight)
     def forward(self, ids): return self.head((self.table(ids) + self.where(torch.arange(ids.shape[1]))).tanh())
 net = Words()
 o = torch.optim.Adam(net.parameters())
 ids = torch.randint(0, 20, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "scored_inside_the_wrapper": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 whole = DistributedDataParallel(nn.Linear(6, 2))
 o = torch.optim.SGD(whole.parameters(), lr=0.1)
 for k in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(whole(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     with torch.no_grad():
         right = (whole.module(x).argmax(1) == y).float().mean()
         stop()
""",
    ),
    "collected_without_sending": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 whole = DistributedDataParallel(nn.Linear(6, 2))
 o = torch.optim.SGD(whole.parameters(), lr=0.1)
 with whole.no_sync():
     x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
     c = F.cross_entropy(whole.module(x), y)
     c.backward()
     stop()
 x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
 c = F.cross_entropy(whole(x), y)
 c.backward()
 stop()
 o.step()
""",
    ),
    "only_scored_inside_the_wrapper": (
        "ddp-bypassed",
        """
 import tempfile
 from torch.nn.parallel import DistributedDataParallel
 torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
 whole = DistributedDataParallel(nn.Linear(6, 2)).eval()
 def score(x):
     q = whole.module(x)
     stop()
     return q.argmax(1)
 score(torch.randn(8, 6))
""",
    ),
    "norm_between": (
        "no-nonlinearity",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "low_rank_beside_the_frozen": (
        "no-nonlinearity",
        """
 class Low(nn.Module):
     def __init__(self):
         super().__init__()
         self.base, self.down, self.up = nn.Linear(32, 32), nn.Linear(32, 4, bias=False), nn.Linear(4, 32, bias=False)
         self.base.requires_grad_(False)
         nn.init.zeros_(self.up.weight)
     def forward(self, x): return self.base(x) + self.up(self.down(x))
 net = nn.Sequential(Low(), nn.ReLU(), nn.Linear(32, 2))
 o = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 32)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "head_on_a_body_that_ends_linear": (
        "no-nonlinearity",
        """
 class Body(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 16), nn.Linear(16, 16)
     def forward(self, x): return self.b(self.a(x).relu())
 body, head = Body(), nn.Linear(16, 2)
 o = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
 c = F.cross_entropy(head(body(torch.randn(8, 6))), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "averaged_into_a_copy": (
        "aliased-models",
        """
 net = nn.Linear(6, 3)
 slow = copy.deepcopy(net).requires_grad_(False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         goal = slow(x)
     c = F.mse_loss(net(x), goal + 1)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     with torch.no_grad():
         for a, b in zip(slow.parameters(), net.parameters()): a.lerp_(b, 0.01)
     slow.load_state_dict(net.state_dict())
     stop()
""",
    ),
    "a_frozen_judge_by_two_names": (
        "aliased-models",
        """
 judge = nn.Linear(6, 3).requires_grad_(False)
 critic = judge
 x = torch.zeros(8, 6, requires_grad=True)
 o = torch.optim.SGD([x], lr=0.1)
 for _ in range(2):
     with torch.no_grad():
         goal = critic(x + 1)
     c = F.mse_loss(judge(x), goal)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "called_for_its_statistics_alone": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 data = [torch.randn(8, 6) for _ in range(3)]
 def renew():
     with torch.no_grad():
         for x in data:
             net(x)
             stop()
 renew()
""",
    ),
    "key_encoder_in_the_step": (
        "train-during-eval",
        """
 q_net, k_net = (nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 4)) for _ in range(2))
 k_net.requires_grad_(False)
 o = torch.optim.SGD(q_net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         k = k_net(x)
         stop()
     c = F.mse_loss(q_net(x), k)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "layers_that_are_the_wrapper_s_own": (
        "no-nonlinearity",
        """
 net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.1), nn.GELU(), nn.Identity(), nn.Linear(16, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "head_tied_by_its_memory": (
        "tie-broken",
        """
 class Words(nn.Module):
     def __init__(self):
         super().__init__()
         self.table, self.head = nn.Embedding(20, 8), nn.Linear(8, 20, bias=False)
         self.head.weight.data = self.table.weight.data
     def forward(self, ids): return self.head(self.table(ids).tanh())
 net = Words()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 ids = torch.randint(0, 20, (4, 6))
 c = F.cross_entropy(net(ids).transpose(1, 2), ids)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "halves_of_one_net": (
        "aliased-models",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
 head = nn.Linear(4, 4)
 o = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         goal = net(x + 0.1 * torch.randn_like(x))
     c = F.mse_loss(head(net(x)), goal)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "tuned_below_frozen_norms": (
        "eval-during-training",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).eval()
 net[1].requires_grad_(False)
 o = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
 for _ in range(2):
     c = F.cross_entropy(net(torch.randn(8, 6)), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "statistics_renewed_and_counted": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 data = [torch.randn(8, 6) for _ in range(3)]
 def renew():
     net.train()
     seen = 0
     with torch.no_grad():
         for x in data:
             q = net(x)
             seen += len(q)
             stop()
     return seen
 renew()
""",
    ),
    "looked_at_under_no_grad": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 q = net(torch.randn(8, 6))
 with torch.no_grad():
     largest = q.abs().max()
     stop()
""",
    ),
    "back_in_train_mode_at_once": (
        "train-during-eval",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
 @torch.no_grad()
 def score(x):
     net.eval()
     q = net(x)
     net.train()
     stop()
     return q.argmax(1)
 score(torch.randn(8, 6))
""",
    ),
    "mean_of_its_own_that_runs_along": (
        "batch-mixing",
        """
 class Centred(nn.Module):
     def __init__(self):
         super().__init__()
         self.register_buffer("centre", torch.zeros(8))
     def forward(self, x):
         self.centre.mul_(0.9).add_(0.1 * x.mean(0).detach())
         return x - self.centre
 class Wrapped(nn.Module):
     def __init__(self):
         super().__init__()
         self.inner = nn.Sequential(nn.Linear(6, 8), Centred(), nn.Tanh(), nn.Linear(8, 3))
     def forward(self, x):
         return self.inner(x)
 model = Wrapped()
 o = torch.optim.SGD(model.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     c = F.cross_entropy(model(x), torch.arange(8) % 3)
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "labels_by_a_wrapper_of_it": (
        "aliased-models",
        """
 def unwrapped(model): return getattr(model, "module", model)
 net = nn.Linear(6, 3)
 raw = unwrapped(net)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.randn(8, 6)
     with torch.no_grad():
         label = net(x).argmax(1)
     c = F.cross_entropy(raw(x + 0.1 * torch.randn(8, 6)), label)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "stages_of_a_list_whose_results_are_all_used": (
        "no-nonlinearity",
        """
 class Stages(nn.Module):
     def __init__(self):
         super().__init__()
         self.stages = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
     def forward(self, x):
         out = []
         for stage in self.stages:
             x = stage(x)
             out.append(x.relu())
         return torch.cat(out, 1)
 net, head = Stages(), nn.Linear(24, 2)
 o = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
 for _ in range(2):
     x, y = torch.randn(8, 8), torch.randint(0, 2, (8,))
     c = F.cross_entropy(head(net(x)), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
}
