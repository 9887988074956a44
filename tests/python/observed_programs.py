"""Programs with a fact that is worth a look, and healthy ones that are alike."""

from __future__ import annotations

#: name: the detector, and a program: with the lines that begin with ``-`` it has the fact, with ``+`` it has not.
PROGRAMS: dict[str, tuple[str, str]] = {
    "experts_of_one_layer": (
        "one-layer-in-many-places",
        """
 class Mixture(nn.Module):
     def __init__(self):
         super().__init__()
-        self.experts = nn.ModuleList([nn.Linear(6, 6)] * 3)
+        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
     def forward(self, x):
         return sum(expert(x) for expert in self.experts)
 net = Mixture()
 loss = net(torch.randn(4, 6)).pow(2).mean()
 loss.backward()
 stop()
""",
    ),
    "a_branch_by_name_twice": (
        "one-layer-in-many-places",
        """
 shared = nn.Linear(6, 2)
-heads = nn.ModuleDict({"left": shared, "right": shared})
+heads = nn.ModuleDict({"left": shared, "right": nn.Linear(6, 2)})
 stop()
""",
    ),
    "buckets_of_one_list": (
        "one-value-in-many-places",
        """
-buckets = [[]] * 4
+buckets = [[] for _ in range(4)]
 buckets[0].append(1.5)
 stop()
""",
    ),
    "states_of_one_tensor": (
        "one-value-in-many-places",
        """
 state, states = torch.zeros(3), []
 for step in range(4):
     state += 1
-    states.append(state)
+    states.append(state.clone())
 stop()
""",
    ),
    "weights_of_the_best_round": (
        "kept-but-live",
        """
 net, best = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), None
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for step in range(3):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     if step == 1:
-        best = net.state_dict()
+        best = copy.deepcopy(net.state_dict())
 stop()
""",
    ),
    "positions_of_a_walk": (
        "entries-share-memory",
        """
 place, walk = torch.zeros(2), []
 for step in range(4):
     place += torch.randn(2)
-    walk.append(place.detach())
+    walk.append(place.detach().clone())
 stop()
""",
    ),
    "counted_and_clipped": (
        "used-up",
        """
 net = nn.Linear(4, 2)
-trained = (p for p in net.parameters() if p.requires_grad)
+trained = [p for p in net.parameters() if p.requires_grad]
 amount = sum(p.numel() for p in trained)
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     loss.backward()
     nn.utils.clip_grad_norm_(trained, 1.0)
     stop()
""",
    ),
    "batches_of_the_first_epoch": (
        "used-up",
        """
 data = torch.randn(6, 4)
-batches = iter([data[:3], data[3:]])
+batches = [data[:3], data[3:]]
 for epoch in range(2):
     for batch in batches:
         total = batch.sum()
     stop()
""",
    ),
    "none_of_this_class": (
        "nothing-left",
        """
 x, y = torch.randn(8, 4), torch.arange(8) % 3
-rare = x[y == 3]
+rare = x[y == 2]
 stop()
 centre = rare.mean(0)
""",
    ),
    "fewer_than_a_batch": (
        "no-batches",
        """
 from torch.utils.data import DataLoader, TensorDataset
 data = TensorDataset(torch.randn(10, 4))
-loader = DataLoader(data, batch_size=16, drop_last=True)
+loader = DataLoader(data, batch_size=16)
 stop()
""",
    ),
    "a_weight_for_each_class": (
        "weights-and-data",
        """
 from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
 y = torch.arange(30) % 3
 by_class = 1 / y.bincount().float()
-drawn = WeightedRandomSampler(by_class, 30)
+drawn = WeightedRandomSampler(by_class[y], 30)
 loader = DataLoader(TensorDataset(torch.randn(30, 4), y), batch_size=6, sampler=drawn)
 stop()
""",
    ),
    "hits_of_a_column": (
        "all-pairs",
        """
 scores, truth = torch.randn(12, 3), torch.randint(0, 3, (12, 1))
 chosen = scores.argmax(1)
-right = (chosen == truth).float().mean()
+right = (chosen == truth.squeeze(1)).float().mean()
 stop()
""",
    ),
    "residuals_of_a_column": (
        "all-pairs",
        """
 made, truth = torch.randn(12), torch.randn(12, 1)
-bias = torch.sub(made, truth).mean()
+bias = torch.sub(made, truth[:, 0]).mean()
 stop()
""",
    ),
    "blind_to_its_input": (
        "the-same-for-every-sample",
        """
 net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
 x = torch.randn(16, 4)
-net[0].bias.data.fill_(-100)
+net[0].bias.data.fill_(0)
 out = net(x)
 stop()
""",
    ),
    "scores_of_each_question": (
        "equal-within-groups",
        """
 difficulty, answers = torch.randn(4).repeat_interleave(6), torch.randn(24)
-table = difficulty.view(4, 6)
+table = (difficulty + answers).view(4, 6)
 stop()
 gain = table - table.mean(1, keepdim=True)
""",
    ),
    "targets_without_spread": (
        "flat-and-no-gradient",
        """
 net, o = nn.Linear(4, 1), None
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 reward = torch.full((16,), 2.0)
+reward[0] = 3.0
 gain = reward - reward.mean()
 loss = (net(torch.randn(16, 4)).squeeze(1) * gain).mean()
 loss.backward()
 stop()
 o.step()
""",
    ),
    "the_end_is_the_padding": (
        "never-a-label",
        """
 rows = [torch.cat([torch.randint(1, 9, (n,)), torch.tensor([0])]) for n in (3, 5, 4, 6)]
 ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
 goal = ids.clone()
-goal[goal == 0] = -100
+for row, one in zip(goal, rows):
+    row[len(one):] = -100
 stop()
""",
    ),
    "the_padding_is_read": (
        "mask-of-what-is-kept",
        """
 ids = torch.tensor([[5, 3, 7, 2], [4, 0, 0, 0], [6, 2, 0, 0]])
 words = nn.Embedding(8, 16)
 encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, batch_first=True), 1, enable_nested_tensor=False)
-mask = ids != 0
+mask = ids == 0
 stop()
 out = encoder(words(ids), src_key_padding_mask=mask)
""",
    ),
    "lengths_before_the_cut": (
        "longer-than-its-row",
        """
 rows = [torch.randn(size, 3) for size in (4, 9, 7)]
 x = nn.utils.rnn.pad_sequence(rows, batch_first=True)[:, :6]
-lengths = torch.tensor([len(row) for row in rows])
+lengths = torch.tensor([min(len(row), 6) for row in rows])
 stop()
""",
    ),
    "positions_in_half_precision": (
        "rounded-to-its-neighbour",
        """
-positions = torch.arange(1000).to(torch.bfloat16)
+positions = torch.arange(1000).float()
 stop()
""",
    ),
    "features_of_both_branches": (
        "one-value-in-many-places",
        """
 blank = torch.zeros(2, 3)
-pages = [blank, blank, blank]
+pages = [blank.clone() for _ in range(3)]
 for page in pages:
     page += torch.randn(2, 3)
 stop()
""",
    ),
    "weights_before_tuning": (
        "kept-but-live",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-original = net.state_dict()
+original = copy.deepcopy(net.state_dict())
 net(torch.randn(8, 4)).pow(2).mean().backward()
 o.step()
 stop()
 moved = (net.weight - original["weight"]).norm()
""",
    ),
    "losses_kept_by_a_helper": (
        "default-of-all-calls",
        """
 def note(losses, loss):
     losses.append(loss)
-def fit(net, losses=[]):
+def fit(net, losses=None):
+    losses = [] if losses is None else losses
     note(losses, net(torch.randn(2, 3)).mean().item())
     stop()
 fit(nn.Linear(3, 1))
""",
    ),
    "lengths_of_packed_features": (
        "longer-than-its-row",
        """
 x = torch.randn(3, 6, 4)
-lengths = torch.tensor([8, 6, 5])
+lengths = torch.tensor([6, 6, 5])
 stop()
 packed = len(x) > 3 and nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True)
""",
    ),
    "a_backbone_with_norms_that_was_evaluated": (
        "part-in-eval",
        """
 body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
 net = nn.Sequential(body, nn.Linear(8, 2))
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-net[0].eval()
+net.train()
 stop()
""",
    ),
    "losses_of_all_calls": (
        "default-of-all-calls",
        """
-def fit(net, losses=[]):
+def fit(net, losses=None):
+    losses = [] if losses is None else losses
     losses.append(net(torch.randn(2, 3)).mean().item())
     stop()
     return losses
 for _ in range(2):
     fit(nn.Linear(3, 1))
""",
    ),
    "an_encoder_that_was_evaluated": (
        "part-in-eval",
        """
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.body = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2))
         self.head = nn.Linear(8, 2)
     def forward(self, x):
         return self.head(self.body(x))
 net = Reader()
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 net.body.eval()
+net.train()
 loss = net(torch.randn(8, 4)).pow(2).mean()
 loss.backward()
 stop()
 o.step()
""",
    ),
    "rounds_past_the_wrapper": (
        "nothing-was-reduced",
        """
 import torch.distributed as dist
 from torch.testing._internal.distributed.fake_pg import FakeStore
 dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
 ddp = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
 def as_it_is(state, bucket):
     reduced = torch.futures.Future()
     reduced.set_result(bucket.buffer())
     return reduced
 ddp.register_comm_hook(None, as_it_is)
-ddp.module.weight = nn.Parameter(torch.randn(2, 4))
-ddp.module.bias = nn.Parameter(torch.zeros(2))
 o = torch.optim.SGD(ddp.parameters(), lr=0.1)
 for step in range(4):
     loss = ddp(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
 stop()
 dist.destroy_process_group()
""",
    ),
    "two_processes_apart": (
        "each-process-for-itself",
        """
 import torch.distributed as dist
 from torch.testing._internal.distributed.fake_pg import FakeStore
 dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
+    for p in net.parameters():
+        dist.all_reduce(p.grad)
     o.step()
 stop()
 dist.destroy_process_group()
""",
    ),
    "a_weight_left_out_of_most_steps": (
        "behind-its-optimizer",
        """
 net = nn.ModuleDict({"body": nn.Linear(4, 4), "head": nn.Linear(4, 1), "other": nn.Linear(4, 1)})
 o = torch.optim.Adam(net.parameters(), lr=0.1)
 for step in range(8):
     h = net["body"](torch.randn(8, 4))
     loss = net["head"](h).pow(2).mean()
-    loss = loss + net["other"](h).pow(2).mean() if step in (0, 7) else loss
+    loss = loss + net["other"](h).pow(2).mean()
     o.zero_grad()
     loss.backward()
     if step < 7:
         o.step()
 stop()
""",
    ),
    "a_schedule_of_the_first_optimizer": (
        "schedule-of-another",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 schedule = torch.optim.lr_scheduler.StepLR(o, 2)
-o = torch.optim.SGD(net.parameters(), lr=0.05)
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     schedule.step()
 stop()
""",
    ),
    "clipped_too_late": (
        "clipped-after-the-step",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
+    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     o.step()
-    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
     stop()
""",
    ),
    "one_batch_of_each_epoch": (
        "first-batch-again",
        """
 from torch.utils.data import DataLoader, TensorDataset
 loader = DataLoader(TensorDataset(torch.randn(12, 4)), batch_size=4)
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
+batches = iter(loader)
 for step in range(3):
-    (x,) = next(iter(loader))
+    (x,) = next(batches)
     loss = net(x).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     stop()
""",
    ),
    "a_head_of_a_thousand": (
        "classes-and-head",
        """
 from torch.utils.data import DataLoader, TensorDataset
 data = TensorDataset(torch.randn(12, 4), torch.arange(12) % 3)
 data.classes = ["cat", "dog", "hen"]
 loader = DataLoader(data, batch_size=4, shuffle=True)
-net = nn.Linear(4, 100)
+net = nn.Linear(4, 3)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
 for x, y in loader:
     out = net(x)
     loss = F.cross_entropy(out, y)
     o.zero_grad()
     loss.backward()
     o.step()
     stop()
""",
    ),
    "a_class_that_is_ignored": (
        "ignored-among-labels",
        """
 net = nn.Linear(4, 3)
-criterion = nn.CrossEntropyLoss(ignore_index=0)
+criterion = nn.CrossEntropyLoss()
 x, y = torch.randn(12, 4), torch.arange(12) % 3
 loss = criterion(net(x), y)
 loss.backward()
 stop()
""",
    ),
    "a_token_that_is_padding": (
        "padding-inside",
        """
-embed = nn.Embedding(20, 4, padding_idx=3)
+embed = nn.Embedding(20, 4, padding_idx=0)
 ids = torch.tensor([[5, 3, 7, 9, 0, 0], [4, 6, 3, 8, 2, 0]])
 out = embed(ids)
 stop()
""",
    ),
    "statistics_of_a_frozen_part": (
        "frozen-but-moving",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.backbone = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU())
         self.head = nn.Linear(8, 2)
     def forward(self, x):
         return self.head(self.backbone(x))
 net = Net()
 net.backbone.requires_grad_(False)
 o = torch.optim.SGD(net.head.parameters(), lr=0.1)
 net.train()
+net.backbone.eval()
 for step in range(2):
     loss = net(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     stop()
""",
    ),
    "frozen_only_by_train": (
        "freezes-in-train",
        """
 class Net(nn.Module):
     def __init__(self):
         super().__init__()
         self.stem, self.head = nn.Linear(4, 8), nn.Linear(8, 2)
     def freeze(self):
         for p in self.stem.parameters():
             p.requires_grad = False
     def train(self, mode=True):
         super().train(mode)
         self.freeze()
         return self
     def forward(self, x):
         return self.head(self.stem(x))
 net = Net()
+net.train()
 o = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
 loss = net(torch.randn(8, 4)).pow(2).mean()
 loss.backward()
 o.step()
 stop()
""",
    ),
    "no_forward_in_train_mode": (
        "norm-never-estimated",
        """
 net = nn.Sequential(nn.utils.spectral_norm(nn.Linear(64, 128)), nn.ReLU(), nn.Linear(128, 1))
+net(torch.randn(4, 64))
 net.eval()
 score = net(torch.randn(4, 64))
 stop()
""",
    ),
    "memory_as_it_was": (
        "never-written",
        """
-with torch.device("meta"):
-    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
-net = net.to_empty(device="cpu")
-net[0].weight, net[2].weight = nn.Parameter(torch.zeros(8, 4)), nn.Parameter(torch.zeros(2, 8))
+net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
 stop()
""",
    ),
    "a_cache_of_inference": (
        "made-in-inference-mode",
        """
 encoder, head = nn.Linear(4, 8), nn.Linear(8, 2)
-with torch.inference_mode():
+with torch.no_grad():
     features = encoder(torch.randn(6, 4))
 o = torch.optim.SGD(head.parameters(), lr=0.1)
 for step in range(2):
     loss = head(features.clone()).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     stop()
""",
    ),
    "attention_that_goes_on_dropping": (
        "attention-drops-in-eval",
        """
 class Attention(nn.Module):
     def __init__(self):
         super().__init__()
         self.dropout = 0.1
         self.qkv = nn.Linear(8, 24)
     def forward(self, x):
         q, k, v = self.qkv(x).chunk(3, -1)
-        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)
+        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
 net = Attention().eval()
 out = net(torch.randn(2, 5, 8))
 stop()
""",
    ),
    "momentum_of_another_library": (
        "unusual-setting",
        """
-net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=0.99), nn.ReLU(), nn.Linear(8, 2))
+net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=0.01), nn.ReLU(), nn.Linear(8, 2))
 stop()
""",
    ),
    "betas_exchanged": (
        "unusual-setting",
        """
 net = nn.Linear(4, 2)
-o = torch.optim.Adam(net.parameters(), lr=0.01, betas=(0.999, 0.9))
+o = torch.optim.Adam(net.parameters(), lr=0.01, betas=(0.9, 0.999))
 stop()
""",
    ),
    "income_beside_age": (
        "columns-of-many-scales",
        """
 net = nn.Linear(3, 1)
 x = torch.stack([torch.randn(32), torch.rand(32), torch.randn(32)], 1)
-x[:, 0] = x[:, 0] * 30_000 + 50_000
 out = net(x)
 stop()
""",
    ),
    "one_position_for_all": (
        "size-as-index",
        """
 class Places(nn.Module):
     def __init__(self):
         super().__init__()
         self.places = nn.Parameter(torch.randn(1, 20, 4))
     def forward(self, x):
-        return x + self.places[:, x.shape[1], :]
+        return x + self.places[:, : x.shape[1], :]
 net = Places()
 out = net(torch.randn(2, 5, 4))
 stop()
""",
    ),
    "a_cosine_of_epochs_for_batches": (
        "schedule-beyond-its-end",
        """
 net = nn.Linear(4, 2)
 o = torch.optim.SGD(net.parameters(), lr=0.1)
-schedule = torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=2)
+schedule = torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=8)
 for epoch in range(2):
     for x in torch.randn(4, 8, 4):
         loss = net(x).pow(2).mean()
         o.zero_grad()
         loss.backward()
         o.step()
         schedule.step()
 stop()
""",
    ),
    "one_order_for_all_epochs": (
        "epoch-never-set",
        """
 from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
 data = TensorDataset(torch.randn(12, 4))
 loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, num_replicas=1, rank=0))
 for epoch in range(2):
+    loader.sampler.set_epoch(epoch)
     for (x,) in loader:
         total = x.sum()
 stop()
""",
    ),
    "an_average_without_buffers": (
        "weights-without-statistics",
        """
 def made():
     return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
 student, teacher = made(), made().requires_grad_(False).eval()
 o = torch.optim.SGD(student.parameters(), lr=0.1)
 for step in range(3):
     loss = student(torch.randn(8, 4)).pow(2).mean()
     o.zero_grad()
     loss.backward()
     o.step()
     for kept, new in zip(teacher.parameters(), student.parameters()):
         kept.data.lerp_(new.data, 0.1)
+    for kept, new in zip(teacher.buffers(), student.buffers()):
+        kept.copy_(new)
 stop()
""",
    ),
    "padding_that_is_attended_to": (
        "mask-hides-nothing",
        """
 ids = torch.tensor([[5, 6, 7, 0, 0, 0], [8, 9, 4, 3, 0, 0], [5, 2, 7, 4, 3, 1]])
-attention_mask = torch.ones_like(ids)
+attention_mask = (ids != 0).long()
 stop()
""",
    ),
    "ends_of_episodes_unread": (
        "never-read",
        """
 net, target = nn.Linear(4, 2), nn.Linear(4, 2)
 memory = [(torch.randn(6, 4), torch.randn(6), torch.randn(6, 4), torch.zeros(6))]
 def update(batch):
     state, reward, after, done = batch
     with torch.no_grad():
-        best = reward + 0.9 * target(after).amax(1)
+        best = reward + 0.9 * (1 - done) * target(after).amax(1)
     loss = (net(state).amax(1) - best).pow(2).mean()
     stop()
     return loss
 update(memory[0])
""",
    ),
    "lengths_that_forward_does_not_read": (
        "never-read",
        """
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.rnn = nn.GRU(4, 8, batch_first=True)
     def forward(self, x, lengths):
         states, _ = self.rnn(x)
-        return states[:, -1]
+        return states[torch.arange(len(x)), lengths - 1]
 net = Reader()
 out = net(torch.randn(3, 5, 4), torch.tensor([5, 3, 2]))
 stop()
""",
    ),
    "one_dataset_of_two_parts": (
        "set-for-both",
        """
 from torch.utils.data import Dataset, random_split
 class Pictures(Dataset):
     def __len__(self):
         return 10
     def __getitem__(self, at):
         return torch.randn(3)
-train, val = random_split(Pictures(), [8, 2])
+(train, _), (val, _) = random_split(Pictures(), [8, 2]), random_split(Pictures(), [8, 2])
 train.dataset.transform = abs
 val.dataset.transform = None
 stop()
""",
    ),
    "a_head_tied_in_the_configuration": (
        "tied-by-name-alone",
        """
 from transformers import GPT2Config, GPT2LMHeadModel
 net = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=20, n_positions=8))
-net.lm_head.weight = nn.Parameter(torch.randn(20, 8))
 stop()
""",
    ),
    "a_batch_first_into_an_rnn": (
        "batch-where-time-is",
        """
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
-        self.rnn = nn.GRU(4, 8)
+        self.rnn = nn.GRU(4, 8, batch_first=True)
         self.head = nn.Linear(8, 3)
     def forward(self, x):
         states, _ = self.rnn(x)
         return self.head(states[:, -1])
 net, x, y = Reader(), torch.randn(6, 5, 4), torch.arange(6) % 3
 loss = F.cross_entropy(net(x), y)
 loss.backward()
 stop()
""",
    ),
    "a_batch_first_into_a_transformer": (
        "batch-where-time-is",
        """
 class Reader(nn.Module):
     def __init__(self):
         super().__init__()
         self.embed = nn.Embedding(20, 8)
-        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 1)
+        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)
         self.head = nn.Linear(8, 3)
     def forward(self, ids):
         return self.head(self.layers(self.embed(ids)).mean(1))
 net, ids, y = Reader(), torch.randint(0, 20, (6, 5)), torch.arange(6) % 3
 loss = F.cross_entropy(net(ids), y)
 loss.backward()
 stop()
""",
    ),
    "a_critic_that_learns_from_the_actor": (
        "gradients-left-over",
        """
 maker, judge = nn.Linear(3, 4), nn.Linear(4, 1)
 of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
 for step in range(2):
     made = maker(torch.randn(8, 3))
     of_maker.zero_grad()
-    of_judge.zero_grad()
     fooled = F.softplus(-judge(made)).mean()
     fooled.backward()
     of_maker.step()
+    of_judge.zero_grad()
     told = F.softplus(judge(made.detach())).mean() + F.softplus(-judge(torch.randn(8, 4))).mean()
     told.backward()
     of_judge.step()
     stop()
""",
    ),
}
#: Healthy programs that have something alike.
HEALTHY = {
    "a loss of the validation in inference mode": (
        "net = nn.Linear(4, 3)\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for epoch in range(2):\n"
        "    loss = F.cross_entropy(net(torch.randn(6, 4)), torch.arange(6) % 3)\n"
        "    o.zero_grad()\n"
        "    loss.backward()\n"
        "    o.step()\n"
        "    with torch.inference_mode():\n"
        "        val_loss = F.cross_entropy(net(torch.randn(6, 4)), torch.arange(6) % 3)\n"
        "    stop()"
    ),
    "a random batch of each epoch": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "loader = DataLoader(TensorDataset(torch.randn(12, 4)), batch_size=4, shuffle=True)\n"
        "net = nn.Linear(4, 2)\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for step in range(2):\n"
        "    (x,) = next(iter(loader))\n"
        "    loss = net(x).pow(2).mean()\n"
        "    o.zero_grad()\n"
        "    loss.backward()\n"
        "    o.step()\n"
        "    stop()"
    ),
    "a model that scales its columns": (
        "net = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 1))\n"
        "x = torch.randn(32, 3) * torch.tensor([0.1, 1.0, 50_000.0])\n"
        "out = net(x)"
    ),
    "an attention whose train sets its rate": (
        "class Attention(nn.Module):\n"
        "    rate = 0.1\n"
        "    def train(self, mode=True):\n"
        "        super().train(mode)\n"
        "        self.rate = 0.1 if mode else 0.0\n"
        "        return self\n"
        "    def forward(self, q):\n"
        "        return F.scaled_dot_product_attention(q, q, q, dropout_p=self.rate)\n"
        "net = Attention().eval()\n"
        "out = net(torch.randn(2, 5, 8))"
    ),
    "a frozen part whose model tells it its mode": (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.backbone, self.head = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)), nn.Linear(8, 2)\n"
        "        self.backbone.requires_grad_(False)\n"
        "    def train(self, mode=True):\n"
        "        super().train(mode)\n"
        "        self.backbone.eval()\n"
        "        return self\n"
        "net = Net()\n"
        "o = torch.optim.SGD(net.head.parameters(), lr=0.1)"
    ),
    "a norm without parameters in a model that is trained": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, affine=False), nn.Linear(8, 2))\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for step in range(2):\n"
        "    loss = net(torch.randn(8, 4)).pow(2).mean()\n"
        "    o.zero_grad()\n"
        "    loss.backward()\n"
        "    o.step()"
    ),
    "an estimate that was made before the dtype was changed": (
        "net = nn.Sequential(nn.utils.spectral_norm(nn.Linear(64, 128)), nn.Linear(128, 1))\n"
        "for step in range(3):\n"
        "    out = net(torch.randn(4, 64))\n"
        "net = net.double().eval()\n"
        "score = net(torch.randn(4, 64).double())"
    ),
    "a copy of a model whose last layer begins at zero": (
        "net = nn.Sequential(nn.Conv2d(3, 3, 3), nn.Conv2d(3, 3, 1))\n"
        "nn.init.zeros_(net[1].weight)\n"
        "copied = copy.deepcopy(net)"
    ),
    "a train that freezes no stage": (
        "class Net(nn.Module):\n"
        "    def __init__(self, frozen):\n"
        "        super().__init__()\n"
        "        self.stem, self.frozen = nn.Linear(4, 2), frozen\n"
        "    def freeze(self):\n"
        "        if self.frozen >= 0:\n"
        "            self.stem.requires_grad_(False)\n"
        "    def train(self, mode=True):\n"
        "        super().train(mode)\n"
        "        self.freeze()\n"
        "        return self\n"
        "net = Net(-1).train()"
    ),
    "an attention that is skipped in eval mode": (
        "class Attention(nn.Module):\n"
        "    def forward(self, q):\n"
        "        if not self.training:\n"
        "            return F.scaled_dot_product_attention(q, q, q)\n"
        "        return F.scaled_dot_product_attention(q, q, q, dropout_p=0.1)\n"
        "net = Attention().eval()\n"
        "out = net(torch.randn(2, 5, 8))"
    ),
    "a norm that is read after the step": (
        "net = nn.Linear(4, 2)\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for step in range(2):\n"
        "    loss = net(torch.randn(8, 4)).pow(2).mean()\n"
        "    o.zero_grad()\n"
        "    loss.backward()\n"
        "    o.step()\n"
        '    norm = nn.utils.clip_grad_norm_(net.parameters(), float("inf"))\n'
        "    stop()"
    ),
    "a batch to look at in each epoch": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "loader, val = (DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4) for _ in range(2))\n"
        "net = nn.Linear(4, 2)\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for epoch in range(2):\n"
        "    for (x,) in loader:\n"
        "        loss = net(x).pow(2).mean()\n"
        "        o.zero_grad()\n"
        "        loss.backward()\n"
        "        o.step()\n"
        "    with torch.no_grad():\n"
        "        (shown,) = next(iter(val))\n"
        "        out = net(shown)\n"
        "    stop()"
    ),
    "pairs of one batch as classes": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "data = TensorDataset(torch.randn(12, 4), torch.arange(12) % 3)\n"
        'data.classes = ["cat", "dog", "hen"]\n'
        "loader, net = DataLoader(data, batch_size=6), nn.Linear(4, 8)\n"
        "for x, y in loader:\n"
        "    z = net(x)\n"
        "    logits, same = z @ z[:5].T, torch.arange(6) % 5\n"
        "    loss = F.cross_entropy(logits, same)\n"
        "    stop()"
    ),
    "an RMSprop of an old recipe": (
        "net = nn.Linear(4, 2)\no = torch.optim.RMSprop(net.parameters(), lr=0.1, eps=1.0)"
    ),
    "padding between two parts of a row": (
        "embed = nn.Embedding(9, 4, padding_idx=0)\n"
        "ids = torch.tensor([[5, 0, 0, 7, 3, 0], [4, 6, 0, 0, 2, 1]])\n"
        "out = embed(ids)"
    ),
    "lengths of a batch whose rows are padded in the next line": (
        "net = nn.Embedding(20, 4)\nfor n in (4, 6):\n    rows = [torch.randint(1, 20, (k,)) for k in (n, n - 1)]\n"
        "    lengths = torch.tensor([len(row) for row in rows])\n    stop()\n"
        "    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)\n    out = net(ids)"
    ),
    "a teacher that is told its mode later": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))\nteacher = copy.deepcopy(net).requires_grad_(False)\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)\nstop()\nteacher.eval()"
    ),
    "a model that is still to be loaded": (
        "state = nn.Linear(4, 8).state_dict()\nwith torch.device('meta'):\n    net = nn.Linear(4, 8)\n"
        "net = net.to_empty(device='cpu')\nstop()\nnet.load_state_dict(state)"
    ),
    "a mask of rows without padding": (
        "ids = torch.randint(1, 9, (3, 6))\nmask = torch.ones_like(ids)\nout = nn.Embedding(9, 4)(ids) * mask[..., None]"
    ),
    "one activation in many places": "act = nn.ReLU()\nnet = nn.Sequential(nn.Linear(4, 4), act, nn.Linear(4, 2), act)",
    "parameters by their names": "net = nn.Linear(4, 2)\nparams = dict(net.named_parameters())",
    "rows of one table": "table = torch.randn(4, 3)\nrows = [table[at] for at in range(4)]",
    "a generator that nobody asks again": "made = (x for x in range(3))\ntotal = sum(made)",
    "to be filled": "kept = torch.empty(0, 4)\nnone = torch.tensor([])",
    "all pairs on purpose": "a = torch.randn(6)\npairs = a[:, None] == a",
    "a frozen part in eval": (
        "net = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), nn.Linear(4, 2))\n"
        "net[0].eval().requires_grad_(False)"
    ),
    "a padding mask that leaves the ends out": (
        "x = torch.randn(3, 5, 8)\nattention = nn.MultiheadAttention(8, 2, batch_first=True)\n"
        "left_out = torch.arange(5)[None] >= torch.tensor([2, 5, 3])[:, None]\n"
        "out, _ = attention(x, x, x, key_padding_mask=left_out)"
    ),
    "lengths of samples, not of frames": "x = torch.randn(3, 20)\nlengths = torch.tensor([3200, 1600, 3000])",
    "a few numbers in half precision": "steps = torch.arange(200).half()\nnoise = torch.randn(4000).half()",
    "a default that is a cache": (
        "def table(size, cache={}):\n    cache[size] = torch.arange(size)\n    stop()\n    return cache[size]\n"
        "table(3)\ntable(4)"
    ),
    "padding that is no end": (
        "ids = torch.tensor([[3, 4, 9, 0], [5, 6, 7, 9]])\ngoal = ids.clone()\ngoal[goal == 0] = -100"
    ),
    "defaults that are only read": (
        'def fit(net, betas=[0.9, 0.999], opts={"lr": 1e-3}):\n'
        "    o = torch.optim.Adam(net.parameters(), betas=tuple(betas), **opts)\n    stop()\nfit(nn.Linear(2, 2))"
    ),
    "padding on the left, to one length": (
        "keep = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])\nx = torch.randn(2, 4, 8)\npad = keep == 0\n"
        "attention = nn.MultiheadAttention(8, 2, batch_first=True)\nout, _ = attention(x, x, x, key_padding_mask=pad)"
    ),
    "holes in a mask": (
        "x, left_out = torch.randn(2, 4, 8), torch.tensor([[1, 0, 1, 0], [1, 1, 0, 1]]).bool()\n"
        "attention = nn.MultiheadAttention(8, 2, batch_first=True)\nout, _ = attention(x, x, x, key_padding_mask=left_out)"
    ),
    "a token for each image": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.cls, self.pos = nn.Parameter(torch.randn(1, 1, 8)), nn.Parameter(torch.randn(1, 5, 8))\n"
        "        self.mix = nn.Linear(8, 8)\n"
        "    def forward(self, x):\n        first = self.cls.expand(len(x), -1, -1)\n"
        "        places = self.pos.expand(len(x), -1, -1)\n        copies = self.cls.repeat(len(x), 1, 1)\n"
        "        y = self.mix(torch.cat([first, x], 1) + places)\n        stop()\n        return y\n"
        "net, x = Net(), torch.randn(3, 4, 8)\nout = net(x)"
    ),
    "a layer that makes a row for each sample": (
        "class Start(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.first = nn.Parameter(torch.randn(1, 8))\n"
        "    def forward(self, x):\n        return self.first.repeat(len(x), 1)\n"
        "start, x = Start(), torch.randn(4, 8)\nfirst = start(x)"
    ),
    "a head of zeros at the first step": (
        "net, x = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3)), torch.randn(6, 4)\n"
        "nn.init.zeros_(net[1].weight)\nnn.init.zeros_(net[1].bias)\nout = net(x)"
    ),
    "gates that begin half open": (
        "net, x = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid()), torch.randn(6, 4)\n"
        "nn.init.zeros_(net[0].weight)\nnn.init.zeros_(net[0].bias)\ngate = net(x)"
    ),
    "ids that are the labels": 'ids = torch.randint(1, 9, (2, 5))\nbatch = {"input_ids": ids, "labels": ids}',
    "query, key and value": "x = torch.randn(2, 5, 8)\nqkv = (x, x, x)\nmore = [x, x, x]",
    "a state of two": (
        "h = torch.zeros(1, 2, 6)\nstate = (h, h)\nboth = [h, h]\nh += 1\n"
        "out, state = nn.LSTM(3, 6, batch_first=True)(torch.randn(2, 4, 3), state)"
    ),
    "gradients that were cleared": (
        "net, target = nn.Linear(4, 1), torch.full((16,), 2.0)\no = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for step in range(2):\n    loss = (net(torch.randn(16, 4)).squeeze(1) - target).pow(2).mean()\n"
        "    o.zero_grad(set_to_none=False)\n    stop()\n    loss.backward()\n    o.step()"
    ),
    "no box is sure": (
        "boxes, score = torch.rand(6, 4), torch.rand(6)\nleft = boxes[score > 2]\nplaces = (boxes > 100).nonzero()\n"
        "for box in left:\n    print(box)"
    ),
    "a mean where there is something": (
        "x, y = torch.randn(8, 4), torch.arange(8) % 3\nrare = x[y == 3]\nstop()\n"
        "centre = rare.mean(0) if len(rare) else None\nif len(rare):\n    spread = rare.std(0)"
    ),
    "a batch without a picture": (
        "net = nn.Linear(4, 1)\nfor x in (torch.randn(3, 4), torch.randn(0, 4)):\n"
        "    loss = net(x).sum() / max(len(x), 1)\n    stop()\n    loss.backward()"
    ),
    "norms whose statistics are frozen": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)))\n"
        "for part in net.modules():\n    if isinstance(part, nn.BatchNorm1d):\n        part.eval()\n"
        "o = torch.optim.SGD(net.parameters(), lr=0.1)"
    ),
    "a state that is saved at once": (
        "net = nn.Linear(4, 2)\no = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(2):\n"
        "    net(torch.randn(8, 4)).pow(2).mean().backward()\n    o.step()\n"
        "    if epoch % 2 == 0:\n        state = net.state_dict()\n        size = len(state)\n        stop()"
    ),
    "a length for each place": (
        "sizes = torch.tensor([4.0, 2.0, 3.0])\nx = torch.randn(3, 5)\nwide = sizes[:, None].expand(3, 5)\n"
        "mean = wide.mean(1)"
    ),
    "a noise level for each row": (
        "sigma, x = torch.rand(4, 1).repeat(1, 6), torch.randn(4, 6)\nnoisy = x + sigma * torch.randn_like(x)"
    ),
    "pooled features beside lengths": "lengths, pooled = torch.tensor([100, 70, 80]), torch.randn(3, 64)",
    "pairs of one class": (
        "labels = torch.randint(0, 3, (6,))\nn = labels.unsqueeze(1)\nsame = labels == n\n"
        "column = labels.view(-1, 1)\nalike = torch.eq(column, labels)"
    ),
    "padded to one length": (
        "ids = torch.tensor([[3, 4, 9, 0], [5, 9, 0, 0]])\ngoal = ids.clone()\ngoal[goal == 0] = -100"
    ),
}
