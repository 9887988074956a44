"""Errors of every day, in the form of the table in test_explain.py: the rule, what must be said, what stands before, the line.

``$`` marks a name of the user's.
"""

CASES = r"""
shape-mismatch | $x $mask 1 | $x = R(4, 3); $mask = torch.ones(4, 2).bool() | out = $x[$mask]
shape-mismatch | $x $mask 0 | $x = R(4, 3); $mask = torch.ones(5).bool() | $x[$mask] = 0
index-out-of-range | $mask squeeze | $x = R(4, 3); $mask = torch.ones(4, 3, 1).bool() | out = $x[$mask]
shape-mismatch | $x $mask | $x = R(4, 3); $mask = torch.ones(4, 2).bool() | out = $x.masked_fill($mask, 0)
shape-mismatch | $v 12 | $x = R(4, 3); $mask = torch.ones(4, 3).bool(); $v = R(5) | $x[$mask] = $v
shape-mismatch | $rows 2 1 | $rows = [[1, 2], [3]] | out = torch.tensor($rows)
grad-to-numpy | $x detach | $x = R(4, 3, requires_grad=True) | out = $x.numpy()
grad-to-numpy | $fc detach | $fc = nn.Linear(3, 2); $x = R(4, 3) | out = $fc($x).numpy()
grad-to-numpy | $out detach | $out = nn.Linear(3, 2)(R(4, 3)) | out = np.array($out)
device-mismatch | $x meta | $x = torch.ones(3, device="meta") | out = np.asarray($x)
not-one-element | $loss 12 | $loss = R(4, 3) | out = $loss.item()
not-one-element | $loss 12 | $loss = R(4, 3) | out = float($loss)
not-one-element | $loss 4 | $loss = R(4) | out = int($loss)
not-one-element | $loss 0 | $loss = R(0) | out = $loss.item()
not-one-element | $xs stack | $xs = [R(2), R(3)] | out = torch.tensor($xs)
ambiguous-truth | $x 4 any | $x = R(4) | out = 1 if $x else 2
ambiguous-truth | $x $y equal | $x = R(4); $y = R(4) | assert $x == $y
ambiguous-truth | $loss $best all | $loss = R(4); $best = R(4) | out = 1 if $best is None or $loss < $best else 2
ambiguous-truth | $crit class settings | $crit = nn.CrossEntropyLoss; $out = R(2, 3); $y = torch.tensor([0, 1]) | loss = $crit($out, $y)
ambiguous-truth | $x & | $x = R(4) | out = $x > 0 and $x < 1
ambiguous-truth | $x 4 | $x = R(4) | out = 0 < $x < 1
ambiguous-truth | $x numel | $x = R(4) | out = not $x
ambiguous-truth | $x any | $x = R(4); $xs = [R(4), R(4)] | out = $x in $xs
ambiguous-truth | $x 4 | $x = R(4) | out = [one for one in range(3) if $x > one]
ambiguous-truth | $a | $a, $b = R(4), R(4) | out = max($a, $b)
unpack-count | $out 4 a b | $out = R(4, 3) | a, b = $out
unpack-count | $out unbind 1 | $out = R(2, 3) | a, b, c = $out
unpack-count | $batch 3 x y | $batch = [R(4, 3), R(4), R(4)] | x, y = $batch
unpack-count | $batch z | $batch = {"x": R(4), "y": R(4), "z": 1} | x, y = $batch
unpack-count | $rnn 2 | $rnn = nn.LSTM(3, 4); $x = R(5, 2, 3) | out, h, c = $rnn($x)
unpack-count | $rnn LSTM | $rnn = nn.GRU(3, 4); $x = R(5, 2, 3) | out, (h, c) = $rnn($x)
unpack-count | $x 2 4 | $x = R(4, 3) | n, c, h, w = $x.shape
unpack-count | $x 4 2 | $x = R(4, 3, 8, 8) | n, c = $x.size()
unpack-count | $batch 1 | $batch = (R(4, 3),) | x, y = $batch
unpack-count | $x[0] 3 | $x = R(2, 3) | (a, b), c = $x
unpack-count | $out single | $out = torch.tensor(3.0) | a, b = $out
unpack-count | $pairs 3 | $pairs = [(1, 2), (3, 4, 5)] | out = [a for a, b in $pairs]
state-dict-mismatch | $state $net module DataParallel | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"module.0.weight": R(4, 3), "module.0.bias": R(4)} | $net.load_state_dict($state)
state-dict-mismatch | $state $net _orig_mod compile | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"_orig_mod.0.weight": R(4, 3), "_orig_mod.0.bias": R(4)} | $net.load_state_dict($state)
state-dict-mismatch | $state model | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"model": {"0.weight": R(4, 3), "0.bias": R(4)}, "epoch": 3} | $net.load_state_dict($state)
state-dict-mismatch | $state $net 0.bias | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"0.weight": R(4, 3)} | $net.load_state_dict($state)
state-dict-mismatch | $state $net fc.weight | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"0.weight": R(4, 3), "0.bias": R(4), "fc.weight": R(2, 2)} | $net.load_state_dict($state)
state-dict-mismatch | 0.weight 5 fc.weight | $net = nn.Sequential(nn.Linear(3, 4)); $state = {"0.weight": R(5, 3), "0.bias": R(5), "fc.weight": R(2, 2)} | $net.load_state_dict($state)
state-dict-mismatch | $net $state module | $net = nn.DataParallel(nn.Sequential(nn.Linear(3, 4))); $state = {"0.weight": R(4, 3), "0.bias": R(4)} | $net.load_state_dict($state)
state-dict-mismatch | $state net. startswith | $model = nn.Linear(3, 2); $state = {"net.weight": R(2, 3), "net.bias": R(2), "loss.weight": R(2)} | $model.load_state_dict($state)
state-dict-mismatch | $old state_dict | $net = nn.Linear(3, 4); $old = nn.Linear(3, 4) | $net.load_state_dict($old)
state-dict-mismatch | $opt 1 2 | $net = nn.Linear(3, 4); $opt = torch.optim.SGD($net.parameters(), 0.1); $state = torch.optim.SGD([R(3)], 0.1).state_dict() | $opt.load_state_dict($state)
missing-key | $batch images image label | $batch = {"image": R(4, 3), "label": R(4)} | out = $batch["images"]
missing-key | $batch labels input_ids | $batch = {"input_ids": R(4, 3), "attention_mask": R(4)} | out = F.relu($batch["labels"])
missing-key | $cfg dims dim | $cfg = {"lr": 0.1, "model": {"dim": 3}}; $k = "dims" | out = nn.Linear($cfg["model"][$k], 3)
missing-key | $net encoder enc | $net = nn.ModuleDict({"enc": nn.Linear(3, 3)}) | out = $net["encoder"]
missing-key | $names $y item | $names = {0: "cat", 1: "dog"}; $y = torch.tensor(1) | out = $names[$y]
missing-attribute | $x None tensor | $x = None | out = $x.shape
missing-attribute | $x list stack | $x = [R(3), R(3)] | out = $x.shape
missing-attribute | $x to | $x = [R(3), R(4)] | out = $x.to("cpu")
missing-attribute | $batch to | $batch = {"x": R(3)} | out = $batch.to("cpu")
missing-attribute | $x grad | $x = R(3) | out = $x.gard
missing-attribute | $x backward | $x = R(3) | out = $x.grad.norm()
missing-attribute | $pair[1] | $pair = ("weight", R(2, 3)) | out = $pair.requires_grad
missing-attribute | $x from_numpy | $x = np.ones(3) | out = $x.to("cpu")
missing-attribute | $loss float graph | $loss = 0.5 | $loss.backward()
missing-attribute | $fc weight | $fc = nn.Linear(3, 2) | out = $fc.weights
missing-attribute | $net module.weight | $net = nn.DataParallel(nn.Linear(3, 2)) | out = $net.weight
missing-attribute | $out tuple | $out = nn.LSTM(3, 4)(R(5, 2, 3)) | out = $out.mean()
missing-attribute | $opt zero_grad | $opt = torch.optim.SGD([R(3).requires_grad_()], 0.1) | $opt.zerograd()
missing-attribute | $out None mse_loss | $out = None | loss = F.mse_loss($out, R(2, 3))
not-a-tensor | $x None $fc | $x = None; $fc = nn.Linear(3, 3) | out = $fc($x)
not-a-tensor | $x None $conv | $x = None; $conv = nn.Conv2d(3, 3, 3) | out = $conv($x)
not-a-tensor | $batch list $emb | $emb = nn.Embedding(3, 3); $batch = {"ids": [1, 2]} | out = $emb($batch["ids"])
not-a-tensor | $y None cross_entropy | $out = R(3); $y = None | loss = F.cross_entropy($out, $y)
not-a-tensor | $mask None | $x = R(3); $mask = None | out = $x * $mask
not-a-tensor | $batch None | $batch = None | out = $batch["ids"]
not-a-tensor | $f None called | $f = None | out = $f(R(3))
not-a-tensor | $x None | $x = None | out = [one for one in $x]
not-a-tensor | $x None len | $x = None | out = len($x)
not-a-tensor | $k None view value | $x = R(3); $k = None | out = $x.view($k)
not-a-tensor | $xs None stack | $xs = [R(3), None] | out = torch.stack($xs)
not-a-tensor | $x stack $fc | $x = [R(3), R(3)]; $fc = nn.Linear(3, 3) | out = $fc($x)
not-a-tensor | $rnn $head tuple | $rnn = nn.LSTM(3, 4); $head = nn.Linear(4, 2); $x = R(2, 5, 3) | out = $head($rnn($x))
not-a-tensor | $out logits | $out = {"logits": R(2, 3)}; $y = torch.tensor([0, 1]) | loss = F.cross_entropy($out, $y)
not-a-tensor | $x zeros | $x = R(3) | out = torch.zeros($x)
not-a-tensor | $net parameters | $net = nn.Linear(3, 3) | opt = torch.optim.Adam($net)
optimizer-parameters | $net ReLU | $net = nn.ReLU() | opt = torch.optim.Adam($net.parameters())
optimizer-parameters | $params empty | $params = [] | opt = torch.optim.SGD($params, lr=0.1)
optimizer-parameters | $w leaf | $w = R(3, requires_grad=True) * 2 | opt = torch.optim.Adam([$w])
optimizer-parameters | $net str | $net = nn.Linear(3, 3) | opt = torch.optim.Adam($net.state_dict())
invalid-distribution | $logits NaN 1 Categorical | $logits = torch.tensor([[1.0, float("nan")], [1.0, 2.0]]) | out = torch.distributions.Categorical(logits=$logits)
invalid-distribution | $s −1 Normal scale | $mu = R(3); $s = torch.tensor([1.0, 0.0, -1.0]) | out = torch.distributions.Normal($mu, $s)
invalid-distribution | $mu NaN loc | $mu = torch.tensor([1.0, float("nan")]) | out = torch.distributions.Normal($mu, 1.0)
invalid-distribution | $p 1.7 probs | $p = torch.tensor([0.3, 1.7]) | out = torch.distributions.Bernoulli(probs=$p)
invalid-distribution | $p NaN multinomial | $p = torch.tensor([0.3, float("nan")]) | out = torch.multinomial($p, 1)
invalid-distribution | $p −1 | $p = torch.tensor([0.3, -1.0]) | out = torch.multinomial($p, 1)
invalid-distribution | $p 1.7 | $p = torch.tensor([0.3, 1.7]) | out = torch.bernoulli($p)
invalid-distribution | $a 3 Categorical | $d = torch.distributions.Categorical(logits=torch.zeros(4, 3)); $a = torch.tensor([0, 1, 2, 3]) | out = $d.log_prob($a)
index-out-of-range | $batch $emb 250 | $emb = nn.Embedding(100, 4); $batch = {"tokens": torch.tensor([[1, 250], [3, 100]])} | out = $emb($batch["tokens"])
shape-mismatch | $emb 4 | $emb = nn.Embedding(10, 4); $x = torch.tensor([1]) | out = $emb($x).view(2, 3)
index-out-of-range | $ids $emb 25 | $emb = nn.EmbeddingBag(10, 4); $ids = torch.tensor([[1, 25]]) | out = $emb($ids)
device-mismatch | $net meta to_empty | $net = nn.Sequential(nn.Linear(3, 3, device="meta"), nn.ReLU()) | out = $net.to("cpu")
device-mismatch | $a meta | $a = torch.ones(3, device="meta") | out = $a.tolist()
device-mismatch | $loss meta | $loss = torch.ones((), device="meta") | out = $loss.item()
"""
