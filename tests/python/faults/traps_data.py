"""Healthy programs whose data look as if they were not scaled, constant, repeated, or shared by two splits."""

from __future__ import annotations

#: name: the rule that must say nothing, the program
TRAPS: dict[str, tuple[str, str]] = {
    "counts_over_time_flattened": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Flatten(), nn.Linear(24 * 7, 8), nn.LeakyReLU(), nn.Linear(8, 3))
 o = torch.optim.Adam(net.parameters(), lr=1e-4)
 for _ in range(2):
     counts, y = torch.randint(0, 200, (16, 24, 7)).float(), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(counts), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "scaled_by_its_first_norm": (
        "not-normalized",
        """
 net = nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 8, 8)).float(), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "scaled_inside_the_model": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv2d(3, 4, 3), nn.Linear(4 * 36, 2)
     def forward(self, x):
         x = x / 255
         return self.b(self.a(x).relu().flatten(1))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 8, 8)).float(), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "scaled_by_a_hook": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Flatten(), nn.Linear(192, 8), nn.ReLU(), nn.Linear(8, 2))
 net.register_forward_pre_hook(lambda net, given: (given[0] / 255,))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 8, 8)).float(), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "table_of_many_counts": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Linear(60, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.cat([torch.randint(0, 200, (32, 30)), torch.randint(0, 40, (32, 30))], 1).float()
 c = F.mse_loss(net(x), torch.randn(32, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pictures_that_are_optimized": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2)).requires_grad_(False)
 x = torch.randint(0, 256, (4, 3, 8, 8)).float().requires_grad_()
 o = torch.optim.Adam([x], lr=1.0)
 for _ in range(2):
     c = -net(x)[:, 0].mean()
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "dark_pictures": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.rand(8, 3, 8, 8) * 0.02, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "small_fields_of_flow": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.rand(8, 2, 8, 8) / 255, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "small_features_of_another_net": (
        "normalized-twice",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.scale, self.a, self.b = nn.Parameter(torch.tensor(255.0)), nn.Conv2d(3, 4, 3), nn.Linear(4 * 36, 2)
     def forward(self, x): return self.b(self.a(x * self.scale).relu().flatten(1))
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.rand(8, 3, 8, 8) / 255, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "sentences_padded_to_one_length": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x = torch.zeros(32, 16)
     x[:, :10] = torch.randn(32, 10)
     c = F.mse_loss(net(x), torch.randn(32, 1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "one_more_for_the_intercept": (
        "constant-feature",
        """
 net = nn.Linear(5, 1, bias=False)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 table = np.random.RandomState(0).randn(32, 4)
 x = torch.from_numpy(np.c_[np.ones(32), table]).float()
 c = F.mse_loss(net(x), x[:, 1:2])
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "few_rows": (
        "constant-feature",
        """
 net = nn.Linear(5, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(6, 5)
 x[:, 2] = 3.0
 c = F.mse_loss(net(x), torch.randn(6, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "flags_that_nobody_has_set": (
        "constant-feature",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.randn(32, 6)
 x[:, 2:] = (torch.rand(32, 4) < 0.3).float() + 1
 x[:, 4] = 1.0
 c = F.mse_loss(net(x), torch.randn(32, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "edges_of_flat_pictures": (
        "constant-feature",
        """
 net = nn.Linear(64, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x = torch.rand(32, 8, 8)
 x[:, 0] = x[:, -1] = 0.5
 x = x.flatten(1)
 c = F.cross_entropy(net(x), torch.randint(0, 2, (32,)))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "noise_to_begin_with": (
        "constant-input",
        """
 net = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
 x = torch.tensor(np.array([[0.5] * 16] * 8, np.float32)).requires_grad_()
 o = torch.optim.Adam([x], lr=0.1)
 for _ in range(2):
     q = net(x)
     stop()
     c = q.square().mean()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "start_made_as_such": (
        "constant-input",
        """
 net = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     blank = torch.ones(8, 16)
     c = F.mse_loss(net(blank), torch.randn(8, 16))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "mask_of_ones_beside_it": (
        "constant-input",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(16, 8), nn.Linear(8, 2)
     def forward(self, x, seen): return self.b(self.a(x * seen).relu())
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x = torch.randn(8, 16)
     seen = (x == x).float()
     c = F.cross_entropy(net(x, seen), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "drawn_with_replacement": (
        "duplicate-samples",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows = torch.randn(10, 6)
 for _ in range(2):
     x = rows[torch.randint(0, 10, (16,))]
     c = F.mse_loss(net(x), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "all_kinds_of_a_table": (
        "duplicate-samples",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kinds = torch.cartesian_prod(*[torch.arange(1.0, 3.0)] * 3, *[torch.ones(1)] * 3)
 x = kinds[torch.arange(16) % 8]
 c = F.mse_loss(net(x), torch.randn(16, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "two_of_a_pair": (
        "duplicate-samples",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 pair = torch.randn(2, 6)
 x = pair[[0, 1, 0, 1]]
 c = F.mse_loss(net(x), torch.randn(4, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "views_of_each_in_a_second_input": (
        "duplicate-samples",
        """
 class Two(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 4), nn.Linear(6, 4)
     def forward(self, x, anchor): return (self.a(x) * self.b(anchor)).sum(1)
 net = Two()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows = torch.randn(4, 6)
 x, anchor = torch.randn(8, 6), rows[torch.arange(8) // 2]
 c = F.mse_loss(net(x, anchor), torch.randn(8))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_class_at_a_time_in_few_shots": (
        "one-class-batch",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows, labels = torch.randn(60, 6), torch.arange(60) // 20
 for k in range(2):
     x, y = rows[20 * k:20 * k + 5], labels[20 * k:20 * k + 5]
     c = F.cross_entropy(net(x), y)
     c.backward()
     stop()
 o.step()
""",
    ),
    "by_chance_of_one_class": (
        "one-class-batch",
        """
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows, labels = torch.randn(60, 6), (torch.arange(60) % 30 == 0).long()
 for k in range(2):
     x, y = rows[1 + 8 * k:9 + 8 * k], labels[1 + 8 * k:9 + 8 * k]
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "classes_of_another_set": (
        "one-class-batch",
        """
 net = nn.Linear(6, 4)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 others = torch.arange(40) // 20
 x, y = torch.randn(8, 6), torch.full((8,), 3)
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "split_of_one_table": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows, goals = torch.randn(60, 6), torch.randn(60, 1)
 x_train, x_test = rows[:40], rows[40:]
 for _ in range(2):
     c = F.mse_loss(net(x_train), goals[:40])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     wrong = F.mse_loss(net(x_test), goals[40:])
     stop()
""",
    ),
    "same_kinds_in_both": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x_train, x_test = torch.randint(0, 2, (60, 6)).float(), torch.randint(0, 2, (30, 6)).float()
 for _ in range(2):
     c = F.mse_loss(net(x_train), x_train.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     wrong = F.mse_loss(net(x_test), x_test.sum(1, keepdim=True))
     stop()
""",
    ),
    "parts_of_one_set_by_numbers": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = torch.utils.data.TensorDataset(torch.randn(60, 6), torch.randn(60, 1))
 train, val = torch.utils.data.Subset(data, range(40)), torch.utils.data.Subset(data, range(40, 60))
 train_val = torch.utils.data.Subset(data, range(60))
 for x, y in torch.utils.data.DataLoader(train, 20):
     c = F.mse_loss(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "cleaned_in_the_next_line": (
        "nan-in-input",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 5))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.randint(0, 5, (8,))
     x[1, 2], y[3] = float("nan"), 255
     stop()
     x[x.isnan()] = 0
     y[y == 255] = -100
     q = net(x)
     c = F.cross_entropy(q, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "scaled_in_the_next_line": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 8, 8)).float(), torch.randint(0, 2, (8,))
     stop()
     x.div_(255)
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "filled_in_the_next_line": (
        "label-out-of-range",
        """
 net = nn.Linear(6, 5)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     x, y = torch.randn(8, 6), torch.full((8,), 9)
     q = net(x)
     stop()
     y[:] = torch.randint(0, 5, (8,))
     c = F.cross_entropy(q, y)
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "kinds_written_as_shares": (
        "duplicate-samples",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kinds = torch.eye(6)[:4] / 3
 x = kinds[torch.arange(16) % 4]
 c = F.mse_loss(net(x), torch.randn(16, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "several_ways_from_each_start": (
        "duplicate-samples",
        """
 net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).requires_grad_(False)
 starts = torch.randn(4, 6)
 x = starts[torch.arange(16) % 4].requires_grad_()
 o = torch.optim.Adam([x], lr=0.1)
 for _ in range(2):
     noise = 0.1 * torch.randn(16, 1)
     c = (net(x) + noise).square().mean()
     o.zero_grad()
     stop()
     c.backward()
     o.step()
""",
    ),
    "points_of_which_slopes_are_taken": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     points = torch.rand(32, 3)
     points[:, 2] = 0.5
     points.requires_grad_()
     u = net(points)
     slope, = torch.autograd.grad(u.sum(), points, create_graph=True)
     c = (slope[:, 0] - slope[:, 1]).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "points_on_a_border_and_inside": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     inside, border = torch.rand(32, 3), torch.rand(32, 3)
     border[:, 0] = 0.5
     c = net(border).square().mean() + (net(inside) - 1).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "conditions_beside_the_input": (
        "constant-feature",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b, self.c = nn.Linear(6, 8), nn.Linear(4, 8), nn.Linear(8, 1)
     def forward(self, x, wanted): return self.c((self.a(x) + self.b(wanted)).relu())
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, wanted = torch.randn(32, 6), torch.rand(32, 4)
     wanted[:, 1] = 0.25
     c = F.mse_loss(net(x, wanted), torch.randn(32, 1))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "second_input_scaled_inside": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Conv2d(3, 8, 8)
     def forward(self, x, seen):
         h = self.a(x)
         return h + self.b(seen / 255).flatten(1)
 net = Net()
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, seen = torch.randn(8, 6), torch.randint(0, 256, (8, 3, 8, 8)).float()
     c = net(x, seen).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "windows_cut_once": (
        "split-overlap",
        """
 cell, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 3)
 o = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
 series = torch.randn(40, 3)
 past, future = series[:-1], series[1:]
 for _ in range(2):
     h, _ = cell(past[None])
     c = F.mse_loss(head(h)[0], future)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "names_alone": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x_train = torch.randn(40, 6)
 x_test = x_train[:8].clone()
 data = torch.utils.data.TensorDataset(torch.randn(40, 6), torch.randn(40, 1))
 for u, v in torch.utils.data.DataLoader(data, 20):
     c = F.mse_loss(net(u), v)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "counts_over_time": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv1d(1, 4, 5), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 60, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.randint(0, 2000, (8, 1, 64)).float()
 c = F.mse_loss(net(x), torch.randn(8, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "heights_of_land": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.randint(0, 3000, (8, 1, 8, 8)).float()
 c = F.mse_loss(net(x), torch.randn(8, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "few_hits_in_a_detector": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 196, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.zeros(8, 1, 16, 16)
 x[:, 0, 4, 5], x[:, 0, 9, 9], x[0, 0, 2, 2] = 40, 120, 300
 c = F.mse_loss(net(x), torch.randn(8, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "planes_of_counts": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(12, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.randint(0, 900, (8, 12, 8, 8)).float()
 c = F.mse_loss(net(x), torch.randn(8, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "pictures_normalised_once": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 64, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 x, y = (torch.rand(8, 3, 10, 10) - 0.45) / 0.225 * 3, torch.randint(0, 2, (8,))
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "one_sample_to_measure_speed": (
        "duplicate-samples",
        """
 class Same(torch.utils.data.Dataset):
     def __init__(self): self.x, self.y = torch.randn(6), torch.tensor(0.5)
     def __len__(self): return 32
     def __getitem__(self, at): return self.x, self.y
 loader = torch.utils.data.DataLoader(Same(), batch_size=8)
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y in loader:
     c = F.mse_loss(net(x).squeeze(1), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     break
""",
    ),
    "one_class_a_batch_by_its_sampler": (
        "one-class-batch",
        """
 class Kept(torch.utils.data.Dataset):
     def __init__(self): self.samples = [(torch.randn(6) + k, k) for k in range(3) for _ in range(16)]
     def __len__(self): return len(self.samples)
     def __getitem__(self, at): return self.samples[at]
 by_class = [list(range(16 * k, 16 * k + 16)) for k in (2, 0, 1)]
 loader = torch.utils.data.DataLoader(Kept(), batch_sampler=by_class)
 net = nn.Linear(6, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y in loader:
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "a_few_of_the_rows_scored_too": (
        "split-overlap",
        """
 x, y = torch.randn(60, 6), torch.randint(0, 2, (60,))
 train_data = torch.utils.data.TensorDataset(x[:45], y[:45])
 seen_data = torch.utils.data.TensorDataset(x[:15], y[:15])
 seen = torch.utils.data.DataLoader(seen_data, 15)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for a, b in torch.utils.data.DataLoader(train_data, 15):
     c = F.cross_entropy(net(a), b)
     o.zero_grad()
     c.backward()
     o.step()
 with torch.no_grad():
     right = sum((net(a).argmax(1) == b).sum() for a, b in seen)
 stop()
""",
    ),
    "heights_below_the_sea": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 1))
 o = torch.optim.Adam(net.parameters())
 x = torch.randint(-900, 2000, (8, 1, 8, 8)).float()
 c = F.mse_loss(net(x), torch.randn(8, 1))
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "bytes_less_the_mean_of_each_colour": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=1e-4)
 mean = torch.tensor([104.0, 117.0, 123.0]).view(3, 1, 1)
 for _ in range(2):
     x, y = torch.randint(0, 256, (8, 3, 8, 8)).float() - mean, torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "flow_in_whole_pixels": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=1e-4)
 for _ in range(2):
     x, y = (torch.randn(8, 2, 8, 8) * 150).round(), torch.randint(0, 2, (8,))
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "batch_without_a_picture": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for n in (4, 0):
     x, y = torch.rand(n, 3, 8, 8), torch.randint(0, 2, (n,))
     c = F.cross_entropy(net(x), y, reduction="sum")
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "one_sample_to_fit": (
        "duplicate-samples",
        """
 class Same(torch.utils.data.Dataset):
     def __init__(self): self.x, self.y = torch.randn(64, 6), torch.randint(0, 2, (64,))
     def __len__(self): return 64
     def __getitem__(self, at): return self.x[0], self.y[0]
 loader = torch.utils.data.DataLoader(Same(), batch_size=8)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y in loader:
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     break
""",
    ),
    "one_sample_to_fit_by_its_number": (
        "duplicate-samples",
        """
 class Same(torch.utils.data.Dataset):
     def __init__(self): self.x, self.y = torch.randn(64, 6), torch.randint(0, 2, (64,))
     def __len__(self): return 64
     def __getitem__(self, at):
         at = 0
         return self.x[at], self.y[at]
 loader = torch.utils.data.DataLoader(Same(), batch_size=8)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y in loader:
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
     break
""",
    ),
    "one_batch_beside_a_loader_of_drawn_items": (
        "duplicate-samples",
        """
 class Drawn(torch.utils.data.Dataset):
     def __init__(self, x): self.x, self.first = x, 3
     def __len__(self): return len(self.x)
     def __getitem__(self, at):
         at = self.first
         return self.x[at]
 probe_loader = torch.utils.data.DataLoader(Drawn(torch.randn(16, 6)), batch_size=8)
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows = torch.randn(1, 6)
 x = rows[[0] * 8]
 for _ in range(2):
     c = net(x).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "nodes_that_are_alike_in_a_graph": (
        "duplicate-samples",
        """
 class Graph(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 3)
     def forward(self, x, near): return self.b((near @ self.a(x)).relu())
 net = Graph()
 o = torch.optim.Adam(net.parameters())
 x, near, y = torch.tensor([[0.5] * 6] * 16), torch.rand(16, 16).round(), torch.randint(0, 3, (16,))
 x[:, 1] = 0.25
 for _ in range(2):
     c = F.cross_entropy(net(x, near), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "judged_in_order_of_classes": (
        "one-class-batch",
        """
 class Folder(torch.utils.data.Dataset):
     def __init__(self, n):
         self.samples = [(f"{k}/{i}.png", k) for k in range(5) for i in range(n)]
         self.targets = [k for _, k in self.samples]
     def __len__(self): return len(self.samples)
     def __getitem__(self, at): return torch.randn(6), self.samples[at][1]
 train_loader = torch.utils.data.DataLoader(Folder(4), batch_size=8, shuffle=True)
 val_loader = torch.utils.data.DataLoader(Folder(8), batch_size=8)
 net = nn.Linear(6, 5)
 o = torch.optim.Adam(net.parameters())
 for epoch in range(2):
     for x, y in train_loader:
         c = F.cross_entropy(net(x), y)
         o.zero_grad()
         c.backward()
         o.step()
     total = 0.0
     with torch.no_grad():
         for x, y in val_loader:
             val_c = F.cross_entropy(net(x), y)
             total += val_c.item()
             stop()
""",
    ),
    "trained_and_judged_by_one_function": (
        "one-class-batch",
        """
 net = nn.Linear(6, 3)
 o = torch.optim.Adam(net.parameters())
 T = torch.utils.data.TensorDataset
 rows, labels = torch.randn(48, 6), torch.arange(48) // 16
 def epoch(loader, train):
     for x, y in loader:
         c = F.cross_entropy(net(x), y)
         stop()
         if train:
             o.zero_grad()
             c.backward()
             o.step()
 epoch(torch.utils.data.DataLoader(T(rows, labels), 8, shuffle=True), True)
 epoch(torch.utils.data.DataLoader(T(rows, labels), 8), False)
""",
    ),
    "few_of_a_kind_beside_a_loader_in_order": (
        "one-class-batch",
        """
 class Folder(torch.utils.data.Dataset):
     def __init__(self, n): self.samples = [(f"{k}/{i}.png", k) for k, m in ((0, n), (1, n // 20)) for i in range(m)]
     def __len__(self): return len(self.samples)
     def __getitem__(self, at): return torch.randn(6), self.samples[at][1]
 train_loader = torch.utils.data.DataLoader(Folder(80), batch_size=8, shuffle=True)
 val_loader = torch.utils.data.DataLoader(Folder(40), batch_size=8)
 net = nn.Linear(6, 2)
 o = torch.optim.Adam(net.parameters())
 for x, y in train_loader:
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "few_of_a_kind_drawn_from_sorted_labels": (
        "one-class-batch",
        """
 rows, labels = torch.randn(84, 6), (torch.arange(84) >= 80).long()
 data = torch.utils.data.TensorDataset(rows, labels)
 loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
 net = nn.Linear(6, 2)
 o = torch.optim.Adam(net.parameters())
 for x, y in loader:
     x, y = x.to("cpu"), y.to("cpu")
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "numbers_of_samples_beside_labels": (
        "one-class-batch",
        """
 class Kept(torch.utils.data.Dataset):
     def __init__(self):
         self.ids, self.keys = list(range(80)), [2**70 + i for i in range(80)]
         self.lengths = [i // 20 for i in range(80)]
         self.y = [int(i % 19 == 18) for i in range(80)]
         self.x = torch.randn(80, 6)
     def __len__(self): return len(self.y)
     def __getitem__(self, at): return self.x[at], self.y[at], self.lengths[at], str(self.keys[at] + self.ids[at])
 loader = torch.utils.data.DataLoader(Kept(), batch_size=8)
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y, n, key in loader:
     c = F.cross_entropy(net(x), y)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "blank_samples_in_both": (
        "split-overlap",
        """
 def drawn(count):
     x = torch.randn(count, 24)
     x[::8] = 0
     return x
 x_train, x_val = drawn(64), drawn(32)
 net = nn.Linear(24, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for _ in range(2):
     c = F.mse_loss(net(x_train), x_train.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     o.step()
     with torch.no_grad():
         score = F.mse_loss(net(x_val), x_val.sum(1, keepdim=True))
     stop()
""",
    ),
    "setting_of_all_beside_the_input": (
        "constant-feature",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b, self.c = nn.Linear(6, 8), nn.Linear(4, 8), nn.Linear(8, 1)
     def forward(self, x, around): return self.c((self.a(x) + self.b(around)).relu())
 net = Net()
 o = torch.optim.Adam(net.parameters())
 around = torch.rand(32, 4)
 around[:, 1] = 0.7
 for _ in range(2):
     x = torch.randn(32, 6)
     c = F.mse_loss(net(x, around), x.sum(1, keepdim=True))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "points_at_one_time": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 places = torch.rand(32, 2)
 start = torch.cat([places, torch.full((32, 1), 0.5)], 1)
 for _ in range(2):
     c = F.mse_loss(net(start), places.sum(1, keepdim=True).sin())
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "border_that_is_made_once": (
        "constant-feature",
        """
 net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
 o = torch.optim.Adam(net.parameters())
 border, inside = torch.rand(32, 3), torch.rand(32, 3)
 border[:, 1] = 0.5
 for _ in range(2):
     c = net(border).square().mean() + (net(inside) - 1).square().mean()
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "pictures_that_a_norm_scales_behind_a_dropout": (
        "not-normalized",
        """
 net = nn.Sequential(
     nn.Conv2d(3, 8, 3), nn.Dropout(0.1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 3)
 )
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randint(0, 256, (16, 3, 8, 8)).float(), torch.randint(0, 3, (16,))
     c = F.cross_entropy(net(x), y)
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "last_fit_on_all_indices_after_a_score": (
        "split-overlap",
        """
 data = torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randn(24, 1))
 train, val = list(range(16)), list(range(16, 24))
 val_loader = torch.utils.data.DataLoader(torch.utils.data.Subset(data, val), 8)
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
    "residuals_in_fixed_point": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
 o = torch.optim.Adam(net.parameters())
 for _ in range(2):
     x, y = torch.randint(-255, 256, (8, 3, 8, 8)) / 65025, torch.randint(0, 3, (8,))
     c = F.cross_entropy(net(x), y)
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
    "hits_of_a_detector": (
        "normalized-twice",
        """
 net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 900, 3))
 o = torch.optim.Adam(net.parameters())
 for k in range(2):
     x, y = torch.zeros(8, 1, 32, 32), torch.randint(0, 3, (8,))
     x[k, 0, 5, k] = 1 / 255
     c = F.cross_entropy(net(x), y)
     stop()
     o.zero_grad()
     c.backward()
     o.step()
""",
    ),
}
