import base64
import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.ingest.events import About, Called, Returned, Said, Used
from sessions.ingest.redact import Redactor, redact

KEY = b"one key for all tests"
TOKEN = re.compile(r"<redacted:([a-z0-9-]+):[0-9a-f]{4}>")

# No literal in this file has the form of a secret: all are put together here.
UPPER = "QWERTZUIOPASDFGH"
MIXED = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"
HEX = "0123456789abcdef" * 2
WORD = "hunter" + "2"
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0", MIXED))
PEM_BODY = "\n".join(f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj{n:02d}AgEAAoIBAQC7" for n in range(8))
PEM = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{PEM_BODY}\nQx==\n-----END RSA {'PRIVATE'} KEY-----"

PROVIDERS = [
    ("github", "ghp" + "_" + MIXED),
    ("github", "github" + "_pat_" + MIXED),
    ("gitlab", "glpat" + "-" + MIXED[:20]),
    ("huggingface", "hf" + "_" + MIXED[:34]),
    ("openai", "sk" + "-proj-" + MIXED),
    ("openai", "sk" + "-" + MIXED),
    ("anthropic", "sk" + "-ant-api03-" + MIXED),
    ("aws", "AKIA" + UPPER),
    ("google", "AIza" + "Sy" + MIXED[:33]),
    ("azure", "abc8" + "Q~" + MIXED[:34]),
    ("slack", "xoxb" + "-123456789012-" + MIXED[:24]),
    ("npm", "npm" + "_" + MIXED),
    ("pypi", "pypi" + "-AgEIcHlwaS5vcmc" + MIXED),
    ("stripe", "sk" + "_live_" + MIXED[:24]),
    ("groq", "gsk" + "_" + MIXED),
    ("nvidia", "nvapi" + "-" + MIXED),
    ("jwt", JWT),
    ("private-key", PEM),
    ("hash", "$6$" + "saltsalt$" + MIXED + MIXED),
]

NAMED = [
    ("bearer", "Authorization: Bearer {}", MIXED),
    ("bearer", 'curl -H "Authorization: Bearer {}" http://192.0.2.7/v1/models', "tok-" + WORD),
    ("bearer", "sent bearer {} to the server", MIXED),
    ("basic", "Authorization: Basic {}", base64.b64encode(f"me:{WORD}".encode()).decode()),
    ("password", "postgresql://app:{}@db.example.org:5432/app", WORD),
    ("password", "redis://:{}@192.0.2.9:6379/0", WORD),
    ("password", "https://me:{}@git.example.org/x.git", "p@ss" + WORD),
    ("password", "password={}", WORD),
    ("password", "PASSWORD: {}", WORD),
    ("password", "password: {}", "correct-horse"),
    ("password", "POSTGRES_PASSWORD={}", "mysecret" + "password"),
    ("password", 'db_password = "{}"', "two words"),
    ("password", "'passwd': '{}'", WORD),
    ("password", '{{\\"password\\": \\"{}\\"}}', WORD),
    ("password", 'MYSQL_PWD={} mysql -e "show tables"', WORD),
    ("key", "ANTHROPIC_API_KEY={}", "plainletters"),
    ("key", '"apiKey": "{}"', MIXED[:20]),
    ("key", "api_key='{}'", MIXED[:20]),
    ("key", "x-api-key: {}", MIXED[:20]),
    ("key", "aws_secret_access_key = {}", MIXED + "/+Zz"),
    ("key", "WANDB_API_KEY={}", HEX),
    ("key", "MY_SERVICE_TOKEN={}", "s3cr3tvalue"),
    ("key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=y", MIXED + "+/=="),
    ("token", "token: {}", MIXED[:24]),
    ("cookie", "Cookie: {}", "session=" + MIXED),
    ("signature", "https://x.blob.example.org/f?sv=1&sig={}", MIXED + "%3D"),
    ("slack", "https://hooks.slack.com/services/{}", "T00000000/B00000000/" + MIXED[:24]),
]

COMMANDS = [
    ("sshpass -p {} ssh root@192.0.2.7 uptime", WORD),
    ("sshpass -p{} ssh root@192.0.2.7 uptime", WORD),
    ("sshpass -p '{}' ssh root@192.0.2.7 uptime", "two words; $1"),
    ("mysql -u root -p{} -e 'select 1'", WORD),
    ("ssh db.example.org 'mysql -uroot -p{} app'", WORD),
    ("curl -u admin:{} http://192.0.2.7/", WORD),
    ("curl -s -u 'admin:{}' http://192.0.2.7/", "a b" + WORD),
    ("curl --user admin:{} http://192.0.2.7/", WORD),
    ("tool --password {} --verbose", "letmein"),
    ("tool --password={} --verbose", "letmein"),
    ('tool --password "{}"', "with space"),
    ("hf auth login --token {}", "abcdefgh"),
    ("vllm serve m --api-key {} --port 8000", "abc-def"),
    ("redis-cli -h 192.0.2.9 -a {} ping", WORD),
    ("docker login -u me -p {} registry.example.org", WORD),
    ("echo {} | sudo -S nvidia-smi", WORD),
    ("export HF_TOKEN={}", "abcdefgh"),
    ('ssh root@192.0.2.7 "API_TOKEN={} ./run.sh"', "abcdefgh"),
    ("PGPASSWORD='{}' psql -h db.example.org", "it is secret"),
    ("unzip -P {} a.zip", WORD),
]  # fmt: skip

HARMLESS = [
    "Avg generation throughput: 41.2 tokens/s, Running: 3 reqs",
    "max_tokens=4096 min_tokens: 16",
    "tokenizer_path=/models/glm tokenizer: AutoTokenizer",
    '"num_key_value_heads": 8, "num_attention_heads": 64',
    "key=value pairs are written as key=value",
    "commit 3e26ce8f00c4a1b2c3d4e5f60718293a4b5c6d7e",
    "sha256:" + HEX * 2,
    "model-00001.safetensors  " + HEX * 2,
    "session 0b9f4a52-7f0e-4c39-9a52-0d2a4d7f6e11 started",
    "iVBORw0KGgo/" + "AKIA" + UPPER + "ab+/9j4AAQSkZJRg==",
    "enter the password: it is the one of the host",
    "The password is wrong, ask for the password again.",
    "curl -H 'Authorization: Bearer $TOKEN' http://192.0.2.7",
    "HF_TOKEN=${HF_TOKEN} python run.py",
    "export HF_TOKEN=$(cat token.txt)",
    "--token <your-token>",
    "PASSWORD=REDACTED",
    "password=********",
    "api_key=None, token=None",
    "api_key=os.environ['OPENAI_API_KEY']",
    "return { accessToken: result.accessToken, refreshToken: result?.refreshToken };",
    "BasicAuth{Username: name, Password: raw.Password}",
    "privateKey: Uint8Array;",
    'password = getpass("Password: ")',
    "def login(user: str, password: str) -> None:",
    "login(user=user, password=password, token=hf_token)",
    "eos_token='</s>' bos_token=1 pad_token: <|endoftext|>",
    '{"token": " Hello", "logprob": -20.25, "top_token": "world"}',
    "EOS_TOKEN_ID=151643 IMAGE_TOKEN=image",
    "time_to_first_token: 0.35 s",
    "PWD=/root/vllm OLDPWD=/root",
    "mysql -u root -p app",
    "docker run -p 8000:8000 -u 1000:1000 vllm/vllm-openai",
    "--private-key-file /root/.ssh/id_ed25519",
    "SSH_KEY=/root/.ssh/id_ed25519",
    "http://192.0.2.174:8000/v1/chat?user=a@example.org",
    "git@github.com:example/necropsy.git",
    f'if "-----BEGIN RSA {"PRIVATE"} KEY-----" in text: return',
    "sk-learn-contrib and task-force-names-that-are-long",
    "hf_quantizer hf_config hf_model_weights",
    "/usr/local/lib/python3/dist-packages/transformers/models/deepseek/modeling.py",
    "model.layers.0.self_attn.kv_b_proj.weight torch.Size([28672, 512])",
    "ls -l --time-style=long-iso | awk '{print $5}'",
]


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(KEY)


@pytest.mark.parametrize(("kind", "secret"), PROVIDERS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(PROVIDERS)])
@pytest.mark.parametrize("around", ["{}", "found {} there", '"{}",', "x={}\n", "\\n{}\\n", "a,{};"])
def test_a_token_of_known_form_goes_wherever_it_stands(redactor: Redactor, kind: str, secret: str, around: str) -> None:
    shown = redactor.text(around.format(secret))
    assert [match[1] for match in TOKEN.finditer(shown)] == [kind]
    assert TOKEN.sub("{}", shown) == around


@pytest.mark.parametrize(("kind", "form", "secret"), NAMED, ids=[form for _, form, _ in NAMED])
def test_a_secret_goes_where_its_name_gives_it_away(redactor: Redactor, kind: str, form: str, secret: str) -> None:
    shown = redactor.text(form.format(secret))
    assert [match[1] for match in TOKEN.finditer(shown)] == [kind]
    assert TOKEN.sub("<>", shown) == form.format("<>")


@pytest.mark.parametrize(("form", "secret"), COMMANDS, ids=[form for form, _ in COMMANDS])
def test_a_secret_goes_from_a_command_which_keeps_its_words(redactor: Redactor, form: str, secret: str) -> None:
    shown = redactor.command(form.format(secret))
    assert secret not in shown
    assert len(TOKEN.findall(shown)) == 1
    bare = re.compile(rf"""(['"]?)(?:{TOKEN.pattern}|\{{\}})\1""")
    assert bare.sub("{}", shown) == bare.sub("{}", form)
    assert redactor.command(shown) == shown


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_resembles_a_secret_stays(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text
    assert redactor.command(text) == text


def test_a_key_goes_whole_also_where_its_end_was_cut_off_or_its_lines_are_numbered(redactor: Redactor) -> None:
    cut = PEM[:300]
    assert TOKEN.sub("<>", redactor.text(f"cat id_rsa\n{cut}\n")) == "cat id_rsa\n<>\n"
    numbered = "\n".join(f"{n:>6}→{row}" for n, row in enumerate(PEM.splitlines(), 1))
    assert TOKEN.sub("<>", redactor.text(numbered)) == "     1→<>"
    assert TOKEN.sub("<>", redactor.text(json.dumps({"private": PEM}))) == '{"private": "<>"}'


def test_a_user_and_password_for_chpasswd_go_together(redactor: Redactor) -> None:
    assert TOKEN.sub("<>", redactor.command(f"echo 'root:{WORD}' | chpasswd")) == "echo '<>' | chpasswd"


def test_an_escape_sequence_in_a_url_does_not_come_out_of_hiding(redactor: Redactor) -> None:
    assert "\x1b" not in redactor.text(f"x=%1b%5d52;c;x&password%3D{WORD}%07")


def test_a_secret_in_base64_or_url_escapes_is_found(redactor: Redactor) -> None:
    secret = "hf" + "_" + MIXED[:34]
    blob = base64.b64encode(f"token for the hub: {secret}\n".encode()).decode()
    assert TOKEN.sub("<>", redactor.text(f"echo {blob} | base64 -d")) == "echo <> | base64 -d"
    escaped = quote(f"https://me:{WORD}@git.example.org", safe="")
    shown = redactor.text(f"next={escaped}")
    assert WORD not in shown
    assert "git.example.org" in shown
    assert secret not in redactor.text("token%3D" + secret)


def test_equal_secrets_get_equal_tokens_under_one_key_only() -> None:
    secret = "hf" + "_" + MIXED[:34]
    one, same, other = Redactor(KEY), Redactor(KEY), Redactor(b"another key")
    assert one.text(f"HF_TOKEN={secret}") == "HF_TOKEN=" + same.text(secret)
    assert one.text(secret) != other.text(secret)
    assert one.text(secret) != one.text(secret[:-1] + "Q")
    assert Redactor().text(secret) != secret


@given(st.lists(st.sampled_from([s for _, s in PROVIDERS] + [f.format(s) for _, f, s in NAMED] + HARMLESS)))
def test_a_second_pass_changes_nothing(parts: list[str]) -> None:
    redactor = Redactor(KEY)
    once = redactor.text("\n".join(parts))
    assert redactor.text(once) == once


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(Redactor(KEY).text(text), str)
    assert isinstance(Redactor(KEY).command(text), str)


def test_a_hostile_text_takes_no_time(redactor: Redactor) -> None:
    for piece in (
        "password",
        "eyJ",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "a:",
        "%3A",
        "http://a",
        "mysql -",
        "token=",
    ):
        assert redactor.text(piece * 20_000) is not None


def test_every_text_of_every_event_is_redacted(redactor: Redactor) -> None:
    secret = "hf" + "_" + MIXED[:34]
    hidden = redactor.text(secret)
    assert redact(Said("s", "agent", f"use {secret}"), redactor) == Said("s", "agent", f"use {hidden}")
    assert redact(Returned("s", "c", f"is {secret}"), redactor) == Returned("s", "c", f"is {hidden}")
    about = redact(About("s", title=secret, cwd=f"/x/{secret}", started=1.0), redactor)
    assert about == About("s", title=hidden, cwd=f"/x/{hidden}", started=1.0)
    used = Used("s", "a", input=3)
    assert redact(used, redactor) is used
    called = redact(
        Called("s", "c", "bash", "shell", "sshpass -p letmein ssh h", programs=("sshpass -p letmein ssh h",)), redactor
    )
    assert called.command == called.programs[0]
    assert "letmein" not in called.command


def test_a_secret_that_colours_split_is_found_in_an_event(redactor: Redactor) -> None:
    secret = "hf" + "_" + MIXED[:34]
    said = redact(Said("s", "agent", f"{secret[:9]}\x1b[31m{secret[9:]}\x1b[0m\r\n"), redactor)
    assert said.text == redactor.text(secret) + "\n"
