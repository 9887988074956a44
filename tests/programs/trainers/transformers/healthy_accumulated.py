"""Gradients are accumulated in bfloat16; the body is frozen."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments
from transformers.modeling_outputs import SequenceClassifierOutput


class Points(Dataset):
    def __init__(self):
        self.x = torch.randn(32, 8)
        self.y = (self.x[:, 0] + self.x[:, 1] > 0).long() + (self.x[:, 2] > 0.5).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"x": self.x[index], "labels": self.y[index]}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(16, 3)

    def forward(self, x, labels=None):
        hidden = self.body(x)
        logits = self.head(hidden)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)


def accuracy(prediction):
    right = prediction.predictions.argmax(-1) == prediction.label_ids
    return {"accuracy": float(right.mean())}


def train():
    torch.manual_seed(0)
    arguments = TrainingArguments(
        max_steps=2,
        gradient_accumulation_steps=2,
        bf16=True,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=16,
        learning_rate=1e-2,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    model = Classifier()
    model.body.requires_grad_(False)
    trainer = Trainer(
        model,
        arguments,
        train_dataset=Points(),
        eval_dataset=Points(),
        compute_metrics=accuracy,
    )
    trainer.train()
