"""Faults of data: its scale, columns and samples that tell nothing, splits that overlap."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "gray_bytes_into_a_flatten": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Flatten(1), nn.Linear(100, 8), nn.LeakyReLU(), nn.Linear(8, 3))
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 X, Y = torch.randint(0, 256, (48, 10, 10), dtype=torch.uint8), torch.randint(0, 3, (48,))
 for at in range(0, 48, 16):
-    batch = {"x": X[at : at + 16].float(), "y": Y[at : at + 16]}
+    batch = {"x": X[at : at + 16].float() / 255, "y": Y[at : at + 16]}
     c = F.cross_entropy(net(batch["x"]), batch["y"])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "bytes_in_a_net": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv2d(3, 4, 3), nn.Linear(4 * 36, 2)
     def forward(self, u):
         return self.b(self.a(u).relu().flatten(1))
 class Engine:
     def __init__(self):
         self.net = Net()
         self.o = torch.optim.SGD(self.net.parameters(), lr=1e-6)
     def fit_one(self, pack):
         c = F.cross_entropy(self.net(pack["u"]), pack["v"])
         self.o.zero_grad()
         stop()
         c.backward()
-u = torch.randint(0, 256, (8, 3, 8, 8)).float()
+u = torch.randint(0, 256, (8, 3, 8, 8)).float() / 255
 Engine().fit_one({"u": u, "v": torch.randint(0, 2, (8,))})
""",
    ),
    "bytes_by_the_name_of_the_argument": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv2d(3, 4, 3), nn.Linear(4 * 36, 2)
     def forward(self, picture, scale=1.0):
         return self.b(self.a(picture).relu().flatten(1)) * scale
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=1e-6)
-u = torch.randint(0, 256, (8, 3, 8, 8)).float()
+u = torch.randint(0, 256, (8, 3, 8, 8)).float() / 255
 c = F.cross_entropy(net(picture=u), torch.randint(0, 2, (8,)))
 o.zero_grad()
 stop()
 c.backward()
""",
    ),
    "divided_twice": (
        "normalized-twice",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv2d(3, 4, 3), nn.Linear(4 * 36, 2)
     def forward(self, u):
         return self.b(self.a(u).relu().flatten(1))
 net = Net()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 def load():
     return torch.randint(0, 256, (8, 3, 8, 8)).float().div(255)
 for _ in range(2):
-    u = load() / 255.0
+    u = load()
     c = F.cross_entropy(net(u), torch.randint(0, 2, (8,)))
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "nothing_but_one_value": (
        "constant-input",
        """
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 raw = np.random.RandomState(0).randint(0, 256, (8, 3, 8, 8)).astype("uint8")
-u = torch.from_numpy(raw // 255 * 0).float()
+u = torch.from_numpy(raw / 255).float()
 c = F.cross_entropy(net(u), torch.randint(0, 2, (8,)))
 o.zero_grad()
 c.backward()
 stop()
""",
    ),
    "a_column_of_one_value": (
        "constant-feature",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, u, v):
         c = F.mse_loss(self.net(u), v)
         self.o.zero_grad()
         stop()
         c.backward()
 u = torch.randn(64, 6)
-u[:, 2] = 3.7
 Engine().fit_one(u, torch.randn(64, 1))
""",
    ),
    "the_same_over_and_over": (
        "duplicate-samples",
        """
 class Engine:
     def __init__(self):
         self.net = nn.Linear(12, 1)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def fit_one(self, u, v):
         c = F.mse_loss(self.net(u), v)
         self.o.zero_grad()
         stop()
         c.backward()
-u = torch.stack([torch.as_tensor(np.random.RandomState(k % 4).randn(12)).float() for k in range(16)])
+u = torch.stack([torch.as_tensor(np.random.RandomState(k).randn(12)).float() for k in range(16)])
 Engine().fit_one(u, torch.randn(16, 1))
""",
    ),
    "in_order_of_classes": (
        "one-class-batch",
        """
 class Engine:
     def __init__(self):
         self.net, self.rule = nn.Linear(6, 3), nn.CrossEntropyLoss()
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def run(self, u, v):
         for k in range(0, 96, 16):
             a, b = u[k:k + 16], v[k:k + 16]
             c = self.rule(self.net(a), b)
             self.o.zero_grad()
             c.backward()
             stop()
             self.o.step()
-v = torch.arange(96) // 32
+v = torch.arange(96) % 3
 Engine().run(torch.randn(96, 6), v)
""",
    ),
    "parts_that_overlap": (
        "split-overlap",
        """
 net = nn.Linear(6, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 rows, goals = torch.randn(100, 6), torch.randn(100, 1)
-fit, rest = rows[:80], rows[60:]
+fit, rest = rows[:80], rows[80:]
 for _ in range(2):
     c = F.mse_loss(net(fit), goals[:80])
     o.zero_grad()
     c.backward()
     stop()
     o.step()
 with torch.no_grad():
     score = F.mse_loss(net(rest), goals[-len(rest):])
""",
    ),
    "subsets_that_overlap": (
        "split-overlap",
        """
 from torch.utils.data import DataLoader, Subset, TensorDataset
 class Engine:
     def __init__(self):
         whole = TensorDataset(torch.randn(100, 6), torch.randn(100, 1))
-        self.a = DataLoader(Subset(whole, range(0, 90)), 10, shuffle=True)
+        self.a = DataLoader(Subset(whole, range(0, 80)), 10, shuffle=True)
         self.b = DataLoader(Subset(whole, range(80, 100)), 10)
         self.net = nn.Linear(6, 1)
         self.o = torch.optim.SGD(self.net.parameters(), lr=0.1)
     def run(self):
         for u, v in self.a:
             c = F.mse_loss(self.net(u), v)
             self.o.zero_grad()
             c.backward()
             stop()
             self.o.step()
         with torch.no_grad():
             return [F.mse_loss(self.net(u), v) for u, v in self.b]
 Engine().run()
""",
    ),
    "scaled_twice": (
        "normalized-twice",
        """
 model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(256, 4))
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 images, y = torch.randint(0, 256, (8, 3, 10, 10)).float() / 255, torch.randint(0, 4, (8,))
-images = images / 255
 loss = F.cross_entropy(model(images), y)
 stop()
 loss.backward()
""",
    ),
    "sorted_labels": (
        "one-class-batch",
        """
 from torch.utils.data import TensorDataset, DataLoader
 X, Y = torch.randn(128, 8), torch.arange(128) // 32
-loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=False)
+loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
 model = nn.Linear(8, 4)
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 for x, y in loader:
     loss = F.cross_entropy(model(x), y)
     optimizer.zero_grad()
     loss.backward()
     stop()
     optimizer.step()
""",
    ),
    "overlapping_splits": (
        "split-overlap",
        """
 data = torch.randn(100, 8)
-train_x, val_x = data[:80], data[60:]
+train_x, val_x = data[:80], data[80:]
 model = nn.Linear(8, 1)
 optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
 loss = F.mse_loss(model(train_x), train_x.sum(1, keepdim=True))
 stop()
 loss.backward()
 with torch.no_grad():
     score = F.mse_loss(model(val_x), val_x.sum(1, keepdim=True))
""",
    ),
    "sound_of_16_bits": (
        "not-normalized",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.a, self.b = nn.Conv1d(1, 6, 16, stride=8), nn.Linear(6, 3)
     def forward(self, u):
         return self.b(self.a(u).relu().mean(-1))
 net = Net()
 o = torch.optim.Adam(net.parameters(), lr=1e-3)
 tones = torch.sin(torch.arange(400) * torch.rand(8, 1)) * 0.8
 pcm = (tones * 32767).to(torch.int16)
 for _ in range(2):
-    u = pcm.float()[:, None]
+    u = pcm.float()[:, None] / 32768
     c = F.cross_entropy(net(u), torch.arange(8) % 3)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "the_first_of_the_batch_for_all": (
        "duplicate-samples",
        """
 def joined(rows):
-    return torch.stack([rows[0][0] for row in rows]), torch.stack([row[1] for row in rows])
+    return torch.stack([row[0] for row in rows]), torch.stack([row[1] for row in rows])
 net = nn.Linear(12, 1)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 data = [(torch.randn(12), torch.randn(1)) for _ in range(32)]
 for at in range(0, 32, 16):
     u, v = joined(data[at : at + 16])
     c = F.mse_loss(net(u), v)
     o.zero_grad()
     c.backward()
     stop()
     o.step()
""",
    ),
    "pictures_normalised_again": (
        "normalized-twice",
        """
 middle = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
 spread = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
 def normal(x): return (x - middle) / spread
 net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 64, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 kept = [normal(torch.rand(3, 10, 10)) for _ in range(8)]
 x, y = torch.stack(kept), torch.randint(0, 2, (8,))
-x = normal(x)
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "volumes_of_twelve_bits": (
        "not-normalized",
        """
 net = nn.Sequential(nn.Conv3d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 64, 2))
 o = torch.optim.Adam(net.parameters(), lr=1e-5)
 x, y = torch.randint(-1024, 3072, (4, 1, 6, 6, 6)).float(), torch.randint(0, 2, (4,))
+x = x / 1024
 c = F.cross_entropy(net(x), y)
 o.zero_grad()
 c.backward()
 stop()
 o.step()
""",
    ),
    "item_that_is_always_the_first": (
        "duplicate-samples",
        """
 class Windows(torch.utils.data.Dataset):
     def __init__(self, rows): self.rows, self.at = rows, 0
     def __len__(self): return len(self.rows) - 6
     def __getitem__(self, at):
-        at = self.at
         return self.rows[at:at + 6], self.rows[at + 6]
 loader = torch.utils.data.DataLoader(Windows(torch.randn(40)), batch_size=8)
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
    "labels_listed_in_their_order": (
        "one-class-batch",
        """
 class Kept(torch.utils.data.Dataset):
     def __init__(self): self.samples = [(torch.randn(6) + k, k) for k in range(3) for _ in range(16)]
     def __len__(self): return len(self.samples)
     def __getitem__(self, at): return self.samples[at]
-loader = torch.utils.data.DataLoader(Kept(), batch_size=16)
+loader = torch.utils.data.DataLoader(Kept(), batch_size=16, shuffle=True)
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
    "rows_drawn_again_for_validation": (
        "split-overlap",
        """
 x, y = torch.randn(60, 6), torch.randint(0, 2, (60,))
 mixed = torch.randperm(60)
 train_rows, val_rows = mixed[:45], mixed[45:]
-val_rows = torch.randperm(60)[:15]
 train_data = torch.utils.data.TensorDataset(x[train_rows], y[train_rows])
 val_data = torch.utils.data.TensorDataset(x[val_rows], y[val_rows])
 net = nn.Linear(6, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for a, b in torch.utils.data.DataLoader(train_data, 15):
     c = F.cross_entropy(net(a), b)
     o.zero_grad()
     c.backward()
     o.step()
 with torch.no_grad():
     right = sum((net(a).argmax(1) == b).sum() for a, b in torch.utils.data.DataLoader(val_data, 15))
 stop()
""",
    ),
}
