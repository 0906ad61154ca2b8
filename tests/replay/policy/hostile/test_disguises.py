"""Calls of harmless programs that write, run another one, reach a machine, leak, or do not end."""

import pytest

from replay.policy.judge import assess, judge

WRITES_OR_RUNS = [
    ("printf %n PATH; ls", "unknown"),
    ("printf '%5n' IFS", "unknown"),
    ("printf %s%n a PATH", "unknown"),
    ("printf '%1$hhn' PATH", "unknown"),
    ("printf %ld 'a[$(touch m)]'", "unknown"),
    ("printf %La 'a[$(touch m)]'", "unknown"),
    ("pip freeze", "read-intrusive"),
    ("python3 -m pip freeze", "read-intrusive"),
    ("tac /proc/cpuinfo", "read-intrusive"),
    ("cd /proc && tac cpuinfo", "read-intrusive"),
    ("cat f | tac", "writes"),
    ("sort -n /proc/self/status", "writes"),
    ("cd /proc && sort -u cpuinfo", "writes"),
    ("sort < /proc/cpuinfo", "writes"),
    ("LC_ALL=C nice sort -u < /proc/cpuinfo", "writes"),
    ("ssh h 'sort -u' < /proc/cpuinfo", "writes"),
    ("top -bn1", "read-intrusive"),
    ("rpm -qa", "read-intrusive"),
    ("python3 -I -m json.tool f m", "writes"),
    ("cat f | python3 -m json.tool - m", "writes"),
    ("python3 -m json.tool f", "code"),
    ("cat f | python3 -c 'print(1)'", "code"),
    ("cat f | python3 -m pip list", "code"),
    ("docker compose ps", "read-intrusive"),
    ("docker compose --project-directory /x logs", "read-intrusive"),
    ("docker compose", "unknown"),
    ("iptables -L -n", "read-intrusive"),
    ("sudo iptables -t nat -L -n", "unknown"),
    ("ssh h 'sudo iptables -F'", "system"),
    ("echo pw | sudo -S cat", "unknown"),
    ("sysctl -n /../../etc/hostname", "unknown"),
    ("sysctl kernel/../../../etc/shadow", "unknown"),
    ("cat < /etc/shadow > m", "writes"),
    ("cat < /etc/hosts 2> m", "writes"),
    ("ifconfig nouveau", "system"),
    ("ifconfig br_netfilter", "system"),
    ("ip link show nouveau", "system"),
    ("ip -d addr show dev pcspkr", "system"),
    ("ip link show wl1251", "system"),
    ("ip link show 8021q", "system"),
    ("ifconfig nouveau:1", "system"),
    ("git log --format=%+G?", "code"),
    ("git log -1 --format=%-GG", "code"),
    ("git show -s '--format=% GS' HEAD", "code"),
    ("git whatchanged -2", "unknown"),
    ("rg -j 99999 x src", "unknown"),
    ("rg --threads=99999 x src", "unknown"),
    ("cat /proc/1/net/rpc/auth.unix.ip/channel", "unknown"),
    ("cat /sys/kernel/security/apparmor/revision", "unknown"),
]
REACHES = [
    ("ls /net/host.example", "network"),
    ("stat /net/host.example/x", "network"),
    ("cat /afs/x/y", "network"),
    ("cd /cvmfs/x && ls", "network"),
    ("find /misc/x -name y", "network"),
    ("iptables -L", "network"),
    ("DOCKER_HOST=tcp://h:2375 docker ps", "unknown"),
    ("KUBECONFIG=/x/c kubectl get pods", "unknown"),
]
LEAKS = [
    "sysctl -a", "sysctl net.ipv4.tcp_fastopen_key", "sysctl -n net.ipv6.conf.all.stable_secret", "sysctl net.ipv4",
    "sysctl net/ipv6/conf/eth0/stable_secret", "sysctl 'net.*'", "sysctl net", "sysctl net.ipv6",
    "sysctl net.ipv6.conf", "cat ~/.bashrc", "cat /root/.profile", "cat /home/x/.zshenv", "cat /etc/environment",
    "cat /etc/profile.d/cuda.sh", "cat /etc/systemd/system/vllm.service", "cat ~/.config/systemd/user/x.service",
    "cat /etc/default/vllm", "cat /etc/sysconfig/vllm", "cat ~/.config/environment.d/x.conf", "systemctl cat vllm",
    "systemctl show vllm", "docker compose config", "docker-compose -f f config", "docker history x",
    "docker inspect c", "ps auxe", "ps eww", "ps aux e", "ps -eo pid,environ", "cat ~/.gitconfig",
    "cat ~/.config/git/config", "cat /etc/gitconfig", "cat /run/secrets/x.py",
    "cat /run/cloud-init/instance-data-sensitive.json", "strings core.4242", "strings x.core",
    "strings /var/lib/systemd/coredump/core.x.zst", "strings /var/crash/x", "cat /var/spool/cron/crontabs/root",
    "cat /var/lib/rancher/k3s/server/node-token", "cat hf_token", "cat x-token.txt", "cat /x/oauth_creds.json",
    "diff -N /root/.aws /x", "diff -N /etc /x", "diff shadow /etc", "diff -u /root/x /root",
    "rg -e --files -uu /root", "rg -uu -e BEGIN /root", "grep -rE '(TOKEN|SECRET)=' /srv/app",
    "grep -rni api_key /srv", "rg -uu 'hf_[A-Za-z]+' /srv", "grep -r 'Bearer ' /var/log/x",
    "grep -rn -e x -e PASSWORD= /srv/app", "cat /etc/shadow /etc/hosts", "cat /etc/hosts /etc/shadow",
    "git show :0:.npmrc", "git show :0:id_rsa", "git show :1:.netrc", "git cat-file -p :0:.netrc",
    "git show 'HEAD@{1 day ago 10:00}:id_rsa'", "git log -L1,9:id_rsa", "git log -L 1,9:.env", "git show -L:x:.env",
    "git diff-tree -p HEAD~1:.ssh/x HEAD:.ssh/x", "git config --get sendemail.smtppass", "git config github.oauth",
    "git config --get http.proxy", "git config http.cookiefile", "git config x.apiKey", "git config x.api-key",
    "git grep -n password", "git grep ''", "git grep -n '[A-Z]*_KEY' -- src", "git grep -v x", "git grep '(_KEY)'",
    "git grep -n PASSWORD", "git grep api_secret",
    "git grep -n _KEY -- '*.py' .env.x", "git grep _KEY -- ':!*.py'", "git grep -F K HEAD", "git grep x HEAD:.env",
    "cat /etc/security/opasswd", "cat /var/backups/shadow.bak", "cat /var/backups/gshadow.bak",
    "cat /etc/postfix/sasl_passwd", "cat /etc/exim4/passwd.client", "cat /etc/apt/auth.conf",
    "cat /etc/apt/auth.conf.d/x", "strings /root/.mylogin.cnf", "cat /etc/pki/tls/private/x",
    "cat /root/.subversion/auth/svn.simple/1", "cat /root/.rhosts", "cat /run/cloud-init/instance-data.json",
    "cat /etc/cloud/cloud.cfg.d/x.cfg", "cat /root/.config/code-server/config.yaml", "strings /swapfile",
    "cat /root/.jupyter/jupyter_server_config.py", "cat /root/.jupyter/jupyter_server_config.json",
    "cat /root/.local/share/jupyter/runtime/jpserver-1.json", "strings /root/.ipython/profile_default/history.sqlite",
    "cat /root/.config/opencode/x.json", "cat /root/.local/share/opencode/x", "cat /etc/samba/smb.conf",
    "cat /root/.netrc~", "cat /root/.netrc.bak", "cat /root/.env~", "cat x.pem.old", "cat id_rsa.orig.bak",
    "cat .env.save", "cat .id_rsa.swp", "cat .env.swp", "cat .env.bak2", "cat /etc/shadow-", "grep x .npmrc.OLD",
    "grep -r '' /srv/app", "grep -rn . /srv/app", "grep -rhE '^[A-Z_]+=' /srv/app", "grep -ri key /srv/app",
    "grep -r '_KEY=' /srv/app", "grep -rn 'K[E]Y' /srv/app", "grep -rv x1 /srv", "grep -rP 'K\\S+?=' /srv",
    "grep -rf p /srv", "grep -rz x1 /srv", "grep -rw HF_TOKEN /srv", "grep -rx 'pass.*' /srv", "egrep -r 'b|_K' /srv",
    "grep -rE 'a|^[A-Z]' /srv", "fgrep -r = /srv", "grep -r --exclude=x --include=*.py = /srv",
    "grep -rn 'y9\nKEY' /srv",
    "grep -r --include=.e[n]v = /srv", "grep -r --include=*.py --include=.en* = /srv", "grep -rP '(?i)kEy' /srv",
    "rg -uu . /srv/app", "rg -uu '=' /srv/app", "rg --hidden key= -i /srv", "rg --no-ignore -S k.y /srv", "rg -. = x",
    "rg -g '*' = /srv", "rg -u --passthru x1 /srv", "rg -uu -U x1 /srv", "rg -uu -c --json = /srv", "rg -uuv x1 x",
    "rg -uu -g '!*.py' = /srv", "rg -uu -tsh = /srv", "rg -uu -tpy -g .env = /srv", "rg -uu '(?i)kEy' /srv",
    "diff -r /srv/a /srv/empty", "diff -rN /srv/a /nonexist", "diff --recursive -u /srv/a /srv/b",
]  # fmt: skip
NEVER_ENDS = """
    find -L / -name x;find -L /sys -name x;find /sys -follow;find /sys/class -follow -name x;ls -R -L /
    cd /sys && find -L . -name x;ls -RL /sys;ls -LR /;ls --recursive --dereference /proc;du -L /sys;du -sL /proc
    cd / && ls -RL;cat /dev/zero;head -c 1T /dev/zero;grep x /dev/urandom;od /dev/zero;xxd /dev/random
    wc -l < /dev/zero;sort /dev/zero;jq . /dev/zero;cat /etc/shadow /dev/zero;cat /dev/zero /etc/shadow
    diff -r /proc/1 /proc/2;diff /dev/zero /dev/urandom;yes;yes | head;seq 1 0 5;seq 1 1e15;tail -f f;sleep 99
    fold -w 99999999 f;fmt -w 99999999 f;nl -w 99999999 f;watch ls;cat /sys/bus/pci/devices/0000:00:00.0/config
    dd if=/dev/zero;date +%99999Y;stat -c %9999n f;find . -printf %99999p;git log --format='%<(99999)%s'
    git log --pretty='%>>|(9999)%s';git log --format='%w(9999,1,1)%s';docker ps --format '{{range 9999}}x{{end}}'
    docker ps --format '{{template "a"}}';docker inspect -f '{{define "a"}}{{template "a"}}{{end}}' c
    grep -E 'a{1000}+{1000}+{1000}' f;sed -nE 's/a{99}+{99}+{99}+{9}/x/p' f;grep -E 'a{,10000}{,10000}' f
    grep 'a\\{,9999\\}\\{,9999\\}' f;pgrep -f 'a{,9999}{,9999}';nl -b 'pa\\{32767\\}\\{32767\\}' f
    git show ':/a{32767}{32767}';git rev-parse 'HEAD^{/(a{999}){999}{99}}'
    git log -S '((a{99}){99}){99}' --pickaxe-regex
    git diff a..b '--color-words=(a{9999}){9999}{9}'
    docker ps --format '{{pad .ID 1900000000 1}}';docker inspect -f '{{printf "%1900000000d" 1}}' c
    gh pr view 1 --jq 'repeat(1)';gh pr view 1 -q env;docker images --format '{{printf "%9999s" .ID}}'
"""
READ = """
    sysctl vm.swappiness;sysctl -aN;sysctl kernel.pid_max net.core.somaxconn;sysctl net.ipv4.ip_forward
    python3 -m json.tool;cat f | python3 -m json.tool;cat /proc/meminfo | sort;sort < f;sort </dev/null
    cat f | python -m json.tool --indent 2 | head;python3 -I -m json.tool f;find -L /srv -name x
    find /sys -name x;ls -RL /srv;du -L /models;diff a b
    diff -u /srv/a.py /srv/b.py;rg --files /srv;printf '%s\\n%5d' a 5;grep -rn hf_config /srv/vllm
    grep -rn num_tokens /srv;grep -rn bos_token src;grep -n SECRET f;cat added_tokens.json
    cat /lib/systemd/system/ssh.service;cat /etc/default/grub;cat /var/lib/kubelet/config.yaml;fold -w 80 f
    cat special_tokens_map.json;cat /var/lib/kubelet/cpu_manager_state;ls /net;cat /srv/compose.yaml;timeout 0 cat f
    systemctl show -p MainPID vllm;ls -la ~/.bashrc;cat /x/environment.py;cat /etc/profile;docker logs c
    journalctl -u vllm -n 5;date +%10Y;stat -c %100n f;git log -1 --format='%<(20)%s'
    docker ps --format '{{.Names}}';grep -E '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' f;git show 'stash@{3}'
    ifconfig enp1s0f0;ip addr show dev lo;ip link show br-0123456789ab;ip route show 192.0.2.0/24;ip route show default
    ip -br link show up;ip link show ib0
    git show HEAD:setup.py;git log -L1,9:a.py;git log -L:main:a.py;git show ':0:f';git show 'HEAD@{1 day ago 10:00}:f'
    git grep -n import;git grep -l password;git grep = -- '*.py' 'x/*.md';git grep -c KEY;git config core.editor
    cat secrets.py.bak;cat f.bak;cat f~;cat .env.example.old;cat /etc/clouds;cat .f.swp;cat /etc/apt/sources.list
    grep -rl _KEY= /srv;grep -rc . /srv;grep -r --include='*.py' = /srv;grep -rn 'def forward' /srv;grep -ri tensor x
    grep -rnE 'num_(heads|layers)' src;grep -rw KEYS /srv;grep -rx word /srv;grep -n . f;grep -rE '^(a|b)$' /srv
    rg = /srv;rg -uu num_tokens /srv;rg -uu -tpy = /srv;rg -u -g '*.py' = src;rg -. -g '!x' -i tensor x;rg -l = -uu x
    rg --hidden -tpy -g '*.md' = x;cat f | rg x;rg -uuS Key_ src;grep -rvn -e . -e x /srv;diff -rq /srv/a /srv/b
    diff -r a.py b.py
    git show 'HEAD^{/fix}';nl -b p^x f;dpkg-query -W -f '${Package}' libc6;git log -m -p -1
"""


def commands(text: str) -> list[str]:
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


@pytest.mark.parametrize(("command", "effect"), [*WRITES_OR_RUNS, *REACHES])
def test_what_more_than_reading_does_is_known(command: str, effect: str) -> None:
    judged = assess(command)
    assert judged.effect == effect
    assert judged.decision != "run"


@pytest.mark.parametrize("command", LEAKS)
def test_what_prints_secrets_is_asked_about(command: str) -> None:
    judged = assess(command)
    assert (judged.decision, judged.effect) == ("ask", "read-secret")
    assert judged.reasons


def test_the_file_that_a_call_is_asked_about_is_sent_with_it() -> None:
    judged = judge("cat < /etc/shadow 2>&1")
    assert (judged.decision, judged.sent) == ("ask", "'cat' < '/etc/shadow' 2>&1")


def test_a_long_part_that_is_repeated_often_is_refused() -> None:
    assert assess(f"grep -E '({'abc' * 1000}){{9999}}' f").decision == "refuse"
    assert assess(f"grep -E '({'abc' * 10}){{99}}' f").decision == "run"


def test_a_field_wider_than_any_line_is_refused() -> None:
    assert assess("dpkg-query -W -f '${Package;1900000000}' libc6").decision == "refuse"
    assert assess("dpkg-query -W -f '${Package;-20}' libc6").decision == "run"


@pytest.mark.parametrize("command", commands(NEVER_ENDS))
def test_what_does_not_end_is_refused(command: str) -> None:
    assert assess(command).decision == "refuse"


@pytest.mark.parametrize("command", ["awk 'BEGIN{while(1);}'", "bc <<< 'while(1){}'", "perl -e '1 while 1'"])
def test_no_other_language_runs_at_all(command: str) -> None:
    assert assess(command).decision == "refuse"


@pytest.mark.parametrize("command", commands(READ))
def test_what_only_looks_like_it_is_read(command: str) -> None:
    judged = assess(command)
    assert (judged.decision, judged.reasons) == ("run", ())


def test_no_limit_of_time_is_none() -> None:
    assert assess("timeout 0 cat f").timeout is None
    assert assess("timeout 5 timeout 0 cat f").timeout == 5
