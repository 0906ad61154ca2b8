"""What a path says of its content, and how many operands a program takes."""

import pytest

from replay.policy.judge import assess

SECRETS = """
    /root/.ssh/other /root/.ssh/id_ed25519 /etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/sudoers.d/x
    /etc/ssl/private/x /etc/krb5.keytab /etc/wireguard/wg0.conf /etc/NetworkManager/system-connections/x
    /etc/kubernetes/admin.conf /etc/ppp/chap-secrets /etc/openvpn/x /etc/ipsec.secrets /etc/ssh/ssh_host_rsa_key
    /etc/rancher/k3s/k3s.yaml /srv/.env /srv/.env.local /srv/.envrc /srv/prod.env /x/.netrc /x/.pgpass /x/.my.cnf
    /x/.git-credentials /x/.npmrc /x/.pypirc /x/.vault-token /x/.s3cfg /x/.boto /x/.htpasswd /x/.dockercfg /x/.msmtprc
    /x/.Xauthority /x/.claude.json /x/.modal.toml /x/.kaggle/kaggle.json /x/.ngc/config /x/.config/ngc/config
    /x/.runpod/config.toml /x/.config/runpod/config.toml /x/.config/wandb/settings /x/.lambda_cloud/lambda_keys
    /etc/netplan/50-cloud-init.yaml /etc/wpa_supplicant/wpa_supplicant.conf /etc/slurm/slurmdbd.conf
    /var/lib/cloud/instance/user-data.txt /var/lib/kubelet/config.json /proc/sys/net/ipv4/tcp_fastopen_key
    /var/lib/docker/containers/c/config.v2.json
    /x/.terraformrc /x/.aws/config /x/.azure/x /x/.gnupg/x /x/.config/gcloud/x /x/.config/gh/hosts.yml
    /x/.config/rclone/x /x/.password-store/x /x/.kube/config /x/.docker/config.json /x/.pip/pip.conf
    /x/.config/pip/pip.conf /x/.m2/settings.xml /x/.condarc /x/.cache/huggingface/token /x/.huggingface/token
    /x/.cache/huggingface/stored_tokens /x/.config/op/x /x/.config/hub /x/.bash_history /x/.psql_history
    /x/.python_history /x/.local/share/fish/fish_history /x/.wandb/x /x/.viminfo /x/.lesshst /x/a.pem /x/a.key
    /x/a.p12 /x/a.pfx /x/a.jks /x/a.keystore /x/a.kdbx /x/a.ppk /x/a.asc /x/a.gpg /x/a.ovpn /x/a.tfstate
    /x/a.tfstate.backup /x/a.token /x/id_rsa /x/id_ecdsa_sk /x/.git/config /x/auth.json /x/token /x/my-secret.txt
    /x/credentials /x/password.txt /x/kubeconfig /x/api_key.txt /x/auth-token /x/access_token.json /x/secrets/a
    /x/.credentials/a /run/secrets/x /proc/1/environ ~/.aws/*.log ~/.ssh/* /x/* /x/*.txt
"""
ORDINARY = """
    /x/config.json /x/tokenizer.json /x/README.md /x/secret.py /x/token.rs /x/.ssh/config /x/.ssh/known_hosts
    /x/.ssh/id_rsa.pub /x/.ssh/authorized_keys /etc/hosts /etc/os-release /x/.env.example /x/environment.yml
    /x/keys.md /proc/cpuinfo /proc/1/status /proc/driver/nvidia/version /sys/class/net/eth0/mtu /run/x.pid
    /var/run/x.log /run/utmp /dev/null /x/*.log /x/a*.py ~/x /var/log/syslog /x/passwd /etc/passwd
    /x/generate_history.txt
"""
SPECIAL = """
    /dev/zero /dev/sda /dev/stdin /dev/fd/0 /proc/kcore /proc/kmsg /proc/kallsyms /proc/1/mem /proc/1/fd/3
    /proc/self/root/x /proc/1/cwd/x /proc/1/exe /proc/1/map_files/x /proc/1/task/1/status /proc/1/pagemap
    /proc/1/ns/net /proc/1/attr/current /proc/bus/usb /proc/acpi/event /proc/sysrq-trigger /proc/vmcore
    /proc/net/rpc/x /proc/1/fdinfo/3 /proc/1/clear_refs /sys/kernel/debug/x /sys/kernel/tracing/trace_pipe /sys/x/rom
    /sys/x/vpd /sys/x/resource0 /sys/x/resource0_wc /sys/power/wakeup_count /sys/x/trace_pipe /sys/x/uevent_seqnum
    /run/x /run/docker.sock /var/run/initctl ../dev/zero x/../../proc/kmsg dev/zero proc/kmsg ~/sys/x/rom /dev/*.log
"""


@pytest.mark.parametrize("path", SECRETS.split())
def test_what_may_hold_a_secret_is_asked_about(path: str) -> None:
    assert assess(f"cat {path}").effect == "read-secret"
    assert "*" in path or "~" in path or assess(f"wc -l < {path}").effect == "read-secret"
    assert assess(f"ls {path}").effect == "read"


@pytest.mark.parametrize("path", ORDINARY.split())
def test_what_is_no_secret_is_read(path: str) -> None:
    assert assess(f"cat {path}").effect == "read"


@pytest.mark.parametrize("path", SPECIAL.split())
def test_what_is_no_ordinary_file_is_refused(path: str) -> None:
    assert assess(f"cat {path}").effect == "unknown"


@pytest.mark.parametrize("path", ["/", "/proc", "/sys", "/dev", "/run", "/proc/1", "/sys/class", "/dev/shm"])
def test_a_tree_that_does_not_end_is_refused(path: str) -> None:
    assert assess(f"grep -r x {path}").effect == "unknown"


@pytest.mark.parametrize(
    "path",
    ["/root", "/home", "/home/x", "/etc", "/var", "/mnt", "~", ".", "/x/.ssh", "/x/.aws", "/x/.gnupg/y"],
)
def test_a_tree_that_holds_secrets_is_asked_about(path: str) -> None:
    for search in ("grep -r tensor", "rg x", "diff a"):
        assert assess(f"{search} {path}").effect == "read-secret"
    assert assess(f"ls -R {path}").effect == "read"


def test_what_searches_where_it_stands_is_judged_by_that_folder() -> None:
    assert assess("grep -r tensor").effect == "read-secret"
    assert assess("grep -r tensor", "/srv/app").effect == "read"
    assert assess("rg x").effect == "read-secret"
    assert assess("cat f | rg x").effect == "read"
    assert assess("cat f | grep -r tensor").effect == "read-secret"


TOO_MANY = """
    kubectl logs a b;incus info a b;incus config show a b;docker top c x;docker history a b;docker diff a b
    docker images a b;docker port a b c;gh pr view 1 2;base64 f f;date +a +b;seq 1 2 3 4;expr 1 2 3 4 5 6 7 8 9 0
    cmp a b c;comm a b c;join a b c;diff a b c;tr a b c;uniq a b;xxd a b;getconf A / b;getent passwd a b c
    ifconfig a b;ibstat a b c;vmstat 1 2 3;iostat 1 2 3;git cat-file -p a b c;scontrol show node a b;sleep 1 2;pwd x
    true x;false x;whoami x;uptime x;nproc x;arch x;locale x;lsmod x;lspci x;lsusb x;numactl x;ldconfig -p x
    swapon --show x;ulimit -a x;top -bn1 x;nvcc -V x;netstat -n x;route -n x;arp -n x;ss x;free x;who x;w x;dmesg x
    git count-objects x;docker version x;docker ps x;incus version x;squeue x;sinfo x;curl a b c d;lscpu x
    ibv_devinfo x;mpstat 1 2 3;nvidia-smi -L x;lsns x;git version x;rpm;gcc --version x;docker info x
"""
TOO_FEW = """
    kubectl logs;kubectl describe;kubectl get;docker top;docker logs;docker port;docker history;docker diff
    docker inspect;scontrol;scontrol show;cmp a;comm a;join a;diff a;tr;strings;stat;file;realpath;readlink;dirname
    basename;which;grep;rg;sed;jq;seq;expr;unzip -l;readelf -h;objdump -h;nm;size;pip show;modinfo;getent;sleep
    git shortlog -s;git cat-file;git blame;git merge-base;git name-rev;git check-ignore;git check-attr;git diff-tree
    git diff-index --cached;git grep;curl;incus exec;pip3 show;sed -n;grep -n;which -a;find -name;head -n;test;[;[ ]
    printf;nvidia-smi topo x
"""
NO_DASHES = """
    xxd -- f;rev -- f;column -- f;jq -- . f;seq -- 3;expr -- 1;unzip -l -- f;which -- ls;lsmod --;lspci --;lsusb --
    numactl -H --;modinfo -- x;ldconfig -p --;swapon --show --;getconf -- A;getent -- passwd;locale --;last -- x
    ulimit -a --;top -bn1 --;nvcc -V --;netstat -n --;ifconfig --;route -n --;arp -n --;ibstat --;ibv_devinfo --
    vmstat --;iostat --;mpstat --;gcc --version --;curl -- h;squeue --;sinfo --;scontrol -- show node g;sacct --
    docker ps --;docker logs -- c;docker images --;docker inspect -- c;docker top -- c;docker port -- c
    docker version --;docker info --;docker stats --no-stream --;docker history -- c;docker diff -- c;incus list --
    incus info --;incus version --;incus config show -- c;kubectl get -- pods;kubectl describe -- node
    kubectl logs -- p;kubectl top -- nodes;kubectl version --;journalctl -n 1 --;nvidia-smi --;nvidia-smi topo --
    nvidia-smi dmon -c 1 --;true --;false --;dmesg --;printenv --;gh pr view -- 1
"""


def commands(text: str) -> list[str]:
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


@pytest.mark.parametrize("command", commands(TOO_MANY + TOO_FEW))
def test_operands_are_counted(command: str) -> None:
    assert assess(command).decision == "refuse"


@pytest.mark.parametrize("command", commands(NO_DASHES))
def test_dashes_end_the_options_only_of_programs_that_know_them(command: str) -> None:
    assert assess(command).decision == "refuse"


@pytest.mark.parametrize(
    "command", ["nice -n ~ ls", "sudo -u ~ ls", "timeout -k ~ 5 ls", "stdbuf -o ~ ls", "[ a b c d ]"]
)
def test_what_a_wrapper_would_drop_is_not_dropped(command: str) -> None:
    assert assess(command).decision == "refuse"
