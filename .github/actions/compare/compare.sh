#!/usr/bin/env bash
# The step of the action: records a command in two versions if one is given, runs `proflens compare`, writes what it says to the summary
# of the job, and ends with its status. Inputs come as environment variables and never as text of this script, so that only the
# command and the setup are run.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
stop=$(basename "$folder")

# Ends the step with an error, which is no regression.
fail() {
  echo "$1" >&2
  [ -z "${GITHUB_OUTPUT:-}" ] || echo 'regression=false' >>"$GITHUB_OUTPUT"
  exit 1
}

if [ -n "$COMMAND" ]; then
  [ -z "$BEFORE$AFTER" ] || fail 'The action takes either a command, or recordings from before and after.'
  # What the base got since this version left it is no change of this version.
  base=$(git -C "$WORKSPACE" merge-base "$AGAINST" HEAD) ||
    fail "HEAD and '$AGAINST' have no common commit in this clone: give actions/checkout \`fetch-depth: 0\`."
  recording=(record --against "$base" --repeat "$RUNS" --warmup 1 --out "$folder/runs")
  [ -z "$SETUP" ] || recording+=(--setup "$SETUP")
  # Whatever the command prints, no line of it is a command to the runner.
  echo "::stop-commands::$stop"
  status=0
  (cd "$WORKSPACE" && "$PROFLENS" "${recording[@]}" -- bash -c "$COMMAND") || status=$?
  echo "::$stop::"
  [ "$status" -eq 0 ] || fail "Recording failed with status $status."
  BEFORE=$folder/runs/before
  AFTER=$folder/runs/after
fi

arguments=(compare --format markdown --workspace "$WORKSPACE" --per "$PER")
while IFS= read -r path; do
  [ -z "$path" ] || arguments+=(--before "$path")
done <<<"$BEFORE"
while IFS= read -r path; do
  [ -z "$path" ] || arguments+=(--after "$path")
done <<<"$AFTER"
[ -z "$FAIL_ON_REGRESSION" ] || arguments+=(--fail-on-regression "$FAIL_ON_REGRESSION")

if [ -z "$LINK_BASE" ] && [ -n "${GITHUB_REPOSITORY:-}" ] && [ -n "$COMMIT" ]; then
  # The workspace may be a folder of the repository.
  below=$(git -C "$WORKSPACE" rev-parse --show-prefix 2>/dev/null || true)
  LINK_BASE="${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/blob/$COMMIT/${below// /%20}"
fi
[ -z "$LINK_BASE" ] || arguments+=(--link-base "$LINK_BASE")

status=0
"$PROFLENS" "${arguments[@]}" >"$folder/text" 2>"$folder/notes" || status=$?
# Names of functions and files are in there, which a pull request can choose: no line of it is a command to the runner.
{ echo "::stop-commands::$stop"; cat "$folder/notes"; echo "::$stop::"; } >&2

# 0 and 3 are results, also where there is nothing yet to compare with; any other status is an error that was just printed.
if [ "$status" -eq 0 ] || [ "$status" -eq 3 ]; then
  [ -s "$folder/text" ] || sed 's/^Note: //' "$folder/notes" >"$folder/text"
  { printf '### Profiles before and after\n\n'; cat "$folder/text"; } >"$folder/comment"
  cat "$folder/comment" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
  [ -z "$COMMENT" ] || cp "$folder/comment" "$COMMENT"
fi
regression=false
if [ "$status" -eq 3 ]; then
  regression=true
  printf '::error title=Slower than before::%s\n' "$(tail -n 1 "$folder/notes" | sed 's/^Note: //; s/%/%25/g; s/\r/%0D/g')"
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "regression=$regression" >>"$GITHUB_OUTPUT"
exit "$status"
