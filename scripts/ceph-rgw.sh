#!/usr/bin/env bash
# A real S3 server for the tests: one Ceph monitor, one OSD on a sparse file and one radosgw, all on 127.0.0.1 and all
# below one directory. Needs root and Debian's packages ceph-mon, ceph-osd, radosgw, curl and openssl (which bring ceph
# and radosgw-admin).
#
#   scripts/ceph-rgw.sh start  DIR [--port 7480] [--osd-mib 10240] [--wait-s 120]
#   scripts/ceph-rgw.sh status DIR
#   scripts/ceph-rgw.sh stop   DIR [--wait-s 120]
#
# start  prints the FIRN_TEST_S3_* lines that the tests read, once an object has been put, which is when the last pool
#        exists. Started twice it stays one server; after a stop it goes on with what it held. --port takes the next
#        port too, for the monitor. --osd-mib is what the OSD may grow to.
# status exits 0 when the server answers, 3 when it does not.
# stop   ends every process and returns when they are gone. The directory stays; remove it to forget the data.
set -euo pipefail

usage() { sed -n '6,8s/^# *//p' "$0" >&2; exit 2; }
die() { echo "ceph-rgw: $*" >&2; exit 1; }

action=${1:-}; home=${2:-}
[[ $action =~ ^(start|status|stop)$ && -n $home ]] || usage
shift 2
port=7480; osd_mib=10240; wait_s=120
while (($#)); do
  case $1 in
    --port) port=$2 ;;
    --osd-mib) osd_mib=$2 ;;
    --wait-s) wait_s=$2 ;;
    *) usage ;;
  esac
  shift 2
done

access_key=FIRNTESTACCESSKEY0
secret_key=firn-test-secret-of-no-worth
bucket=firn-test
# Below this name a bucket is a subdomain (virtual-host style); any other host name is path style.
domain=s3.firn.test
deadline=$((SECONDS + wait_s))

[[ -d $home || $action == start ]] || { [[ $action == stop ]] && exit 0; exit 3; }
mkdir -p "$home"; home=$(cd "$home" && pwd)
conf=$home/ceph.conf

# The process of a pid file, when it lives and is the daemon that wrote it: ids are used again.
daemon_of() {
  local pid
  pid=$(cat "$home/run/$1.pid" 2>/dev/null) || return 1
  [[ -n $pid && $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) == *"$conf"* ]] || return 1
  echo "$pid"
}

s3_url() { echo "http://127.0.0.1:$(cat "$home/port")"; }

answers() { [[ -f $home/port ]] && daemon_of rgw >/dev/null && curl -s -o /dev/null --max-time 5 "$(s3_url)/"; }

print_environment() {
  cat <<END
FIRN_TEST_S3_ENDPOINT=$(s3_url)
FIRN_TEST_S3_DOMAIN=$domain
FIRN_TEST_S3_BUCKET=$bucket
FIRN_TEST_S3_ACCESS_KEY_ID=$access_key
FIRN_TEST_S3_SECRET_ACCESS_KEY=$secret_key
END
}

stop_all() {
  local name pid
  # The monitor last: the others tell it that they go.
  for name in rgw osd mon; do
    pid=$(daemon_of $name) || continue
    kill "$pid" 2>/dev/null || true
    for ((tries = 0; tries < 50; tries++)); do daemon_of $name >/dev/null || break; sleep 0.2; done
    pid=$(daemon_of $name) && { kill -9 "$pid" 2>/dev/null || true; }
    while daemon_of $name >/dev/null; do ((SECONDS < deadline)) || die "process $pid does not end"; sleep 0.1; done
  done
  rm -f "$home"/run/*.pid
}

write_conf() {
  cat >"$conf" <<END
[global]
fsid = $(cat "$home/fsid")
mon host = [v2:127.0.0.1:$((port + 1))]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
# Nobody but this machine reaches it. With no authentication between daemons, radosgw needs both lines and its mode
# below.
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = false
keyring = $home/keyring
# One copy of everything on the one OSD there is.
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon max pg per osd = 1000
# How full the disk below is, is not the monitor's concern.
mon data avail crit = 0
mon data = $home/mon
osd data = $home/osd
osd objectstore = bluestore
bluestore block create = true
bluestore block size = $((osd_mib * 1024 * 1024))
# Acknowledged objects of a test need not outlive the machine, and CI has little memory.
osd memory target = 939524096
# Paths of sockets have to be short, and nobody talks to them.
admin socket =
run dir = $home/run
log file = $home/log/\$name.log
[mon.a]
pid file = $home/run/mon.pid
[osd.0]
pid file = $home/run/osd.pid
[client.rgw.a]
pid file = $home/run/rgw.pid
ms mon client mode = crc
rgw data = $home/rgw
rgw frontends = beast endpoint=127.0.0.1:$port
rgw dns name = $domain
rgw s3 auth order = local
rgw dynamic resharding = false
rgw num control oids = 1
rgw gc max objs = 1
rgw lc max objs = 1
# Space of deleted objects is wanted back while the tests run.
rgw gc obj min wait = 5
rgw gc processor period = 10
END
}

within() { ((SECONDS < deadline)) || { stop_all; die "not ready within $wait_s s; see $home/log"; }; sleep 0.2; }

# One request without a body, signed as AWS's version 2 has it: the one that openssl and a line make.
signed() {
  local date signature
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  signature=$(printf '%s\n\n\n%s\n%s' "$1" "$date" "$2" | openssl dgst -sha1 -hmac "$secret_key" -binary | base64)
  curl -sf -o /dev/null --max-time 30 -X "$1" -H "Date: $date" -H "Authorization: AWS $access_key:$signature" \
    -H 'Content-Length: 0' "$(s3_url)$2"
}

start_all() {
  [[ $(id -u) == 0 ]] || die 'needs root'
  for tool in ceph ceph-mon ceph-osd radosgw radosgw-admin monmaptool curl openssl; do
    command -v $tool >/dev/null || die "$tool is missing; apt-get install ceph-mon ceph-osd radosgw curl openssl"
  done
  mkdir -p "$home"/{mon,osd,rgw,run,log}
  local new=
  if [[ ! -f $home/made ]]; then
    new=1
    rm -rf "$home"/{mon,osd}/*
    cat /proc/sys/kernel/random/uuid >"$home/fsid"
  fi
  : >"$home/keyring"
  echo "$port" >"$home/port"
  write_conf
  if [[ $new ]]; then
    monmaptool --create --clobber --addv a "[v2:127.0.0.1:$((port + 1))]" --fsid "$(cat "$home/fsid")" \
      "$home/monmap" >/dev/null
    ceph-mon -c "$conf" -i a --mkfs --monmap "$home/monmap"
  fi
  ceph-mon -c "$conf" -i a
  if [[ $new ]]; then
    # The monitor has to know the id that the OSD's file gets, or the OSD waits for ever.
    local osd_id
    osd_id=$(cat /proc/sys/kernel/random/uuid)
    timeout "$wait_s" ceph -c "$conf" osd new "$osd_id" 0 >/dev/null
    ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$osd_id" 2>"$home/log/mkfs.log" ||
      die "ceph-osd --mkfs failed; see $home/log/mkfs.log"
    timeout "$wait_s" ceph -c "$conf" osd crush add osd.0 1.0 host=localhost root=default 2>/dev/null
  fi
  ceph-osd -c "$conf" -i 0 >/dev/null 2>>"$home/log/osd.err"
  radosgw -c "$conf" -n client.rgw.a
  if [[ $new ]]; then
    timeout "$wait_s" radosgw-admin -c "$conf" user create --uid=firn-test --display-name='Firn tests' \
      --access-key="$access_key" --secret-key="$secret_key" >/dev/null 2>"$home/log/user.err" ||
      die "no user could be made; see $home/log/user.err"
  fi
  until answers; do within; done
  until signed PUT "/$bucket"; do within; done
  until signed PUT "/$bucket/ready"; do within; done
  signed DELETE "/$bucket/ready"
  touch "$home/made"
}

case $action in
  start)
    if ! answers; then
      stop_all
      start_all
    fi
    print_environment
    ;;
  status) answers || exit 3; print_environment ;;
  stop) stop_all ;;
esac
