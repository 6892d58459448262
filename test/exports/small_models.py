"""The models that are exported: small ones of the usual kinds, made from configuration alone."""
import torch
from torch import nn

from made_up_data import LENGTH, PIXELS, VOCABULARY

WIDTH, HEADS, LAYERS = 64, 4, 2


class Mlp(nn.Module):
    """A classifier of rows of features; `classes` real values where it is a regressor."""

    def __init__(self, classes=10, features=24, width=96):
        super().__init__()
        self.widen, self.middle, self.narrow = (
            nn.Linear(features, width),
            nn.Linear(width, width),
            nn.Linear(width, classes),
        )

    def forward(self, features):
        return self.narrow(torch.relu(self.middle(torch.relu(self.widen(features)))))


class GruLanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.gru, self.head = (
            nn.Embedding(VOCABULARY, WIDTH),
            nn.GRU(WIDTH, WIDTH, 2, batch_first=True),
            nn.Linear(WIDTH, VOCABULARY),
        )

    def forward(self, input_ids):
        return self.head(self.gru(self.embed(input_ids))[0])


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        inner = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(inner + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)
        self.blocks, self.head = nn.Sequential(ResidualBlock(16, 16, 2), ResidualBlock(16, 32, 2)), nn.Linear(
            32, classes
        )

    def forward(self, pixel_values):
        return self.head(self.blocks(torch.relu(self.norm(self.stem(pixel_values)))).mean((2, 3)))


class Segmenter(nn.Module):
    """Logits [N, C, H, W], a class for each pixel."""

    def __init__(self, classes=4):
        super().__init__()
        self.down, self.middle = nn.Conv2d(1, 16, 3, 2, 1), nn.Conv2d(16, 32, 3, 1, 1)
        self.up, self.out = nn.ConvTranspose2d(32, 16, 2, 2), nn.Conv2d(16, classes, 1)

    def forward(self, images):
        return self.out(torch.relu(self.up(torch.relu(self.middle(torch.relu(self.down(images)))))))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(vocab_size=VOCABULARY, n_positions=2 * LENGTH, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)
    )


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "max_position_embeddings": 2 * LENGTH,
    }
    return LlamaForCausalLM(
        LlamaConfig(**sizes, num_attention_heads=HEADS, num_key_value_heads=HEADS // 2, tie_word_embeddings=False)
    )


def bert_masked():
    from transformers import BertConfig, BertForMaskedLM

    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "max_position_embeddings": 2 * LENGTH,
    }
    return BertForMaskedLM(BertConfig(**sizes, num_attention_heads=HEADS))


def distilbert(classes=6):
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    sizes = {
        "vocab_size": VOCABULARY,
        "dim": WIDTH,
        "hidden_dim": 2 * WIDTH,
        "n_layers": LAYERS,
        "n_heads": HEADS,
        "max_position_embeddings": 2 * LENGTH,
    }
    return DistilBertForSequenceClassification(DistilBertConfig(**sizes, num_labels=classes))


def vit(classes=6):
    from transformers import ViTConfig, ViTForImageClassification

    sizes = {
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
    }
    return ViTForImageClassification(ViTConfig(**sizes, image_size=PIXELS, patch_size=4, num_labels=classes))
