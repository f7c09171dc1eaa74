# SPDX-License-Identifier: BSD-2-Clause
# scripts/version: what sonde --version prints, for a git tree with and without a tag and for an unpacked archive.

# shellcheck disable=SC2154 # $0 is the tree, as tests/run says
in_tree() {
	mkdir -p "$1/scripts"
	cp "$0/scripts/version" "$1/scripts/"
	cp "$0/.gitattributes" "$0/VERSION" "$1/"
	number=$(head -n 1 "$0/VERSION")
}

# A repository of one commit in the directory tree.
repository() {
	command -v git > /dev/null || skip "there is no git"
	export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x
	export GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
	in_tree tree
	git init -q tree
	git -C tree add .
	git -C tree commit -q -m first
}

expect_version() {
	actual=$("$1/scripts/version")
	echo "$actual" | grep -qxE -e "$2" || fail "$1 is version '$actual', not '$2'"
}

test_tag() {
	repository
	expect_version tree "$number-g[0-9a-f]+"
	git -C tree tag v7.8.9
	expect_version tree '7\.8\.9'
	git -C tree commit -q --allow-empty -m second
	expect_version tree '7\.8\.9-1-g[0-9a-f]+'
	echo >> tree/VERSION
	expect_version tree '7\.8\.9-1-g[0-9a-f]+-dirty'
}

test_archive() {
	repository
	git -C tree tag v7.8.9
	mkdir tagged later
	git -C tree archive HEAD | tar x -C tagged
	expect_version tagged '7\.8\.9'
	git -C tree commit -q --allow-empty -m second
	git -C tree archive HEAD | tar x -C later
	expect_version later '7\.8\.9-1-g[0-9a-f]+'
	[ "$(later/scripts/version --date)" = "$(git -C tree log -1 --format=%cs)" ] ||
		fail "date: $(later/scripts/version --date)"
}

test_sources_without_git() {
	in_tree plain
	expect_version plain "$number"
	plain/scripts/version --date | grep -qxE '[0-9]{4}-[0-9]{2}-[0-9]{2}' ||
		fail "date: $(plain/scripts/version --date)"
}

# Unpacked below somebody's repository, whose tags are not ours.
test_inside_another_repository() {
	repository
	git -C tree tag v7.8.9
	in_tree tree/vendor/sonde
	expect_version tree/vendor/sonde "$number"
}

test_news_begins_with_this_version() {
	number=$(head -n 1 "$0/VERSION")
	grep -m 1 '^## ' "$0/NEWS" | grep -qE "^## $number( |\$)" ||
		fail "NEWS begins with $(grep -m 1 '^## ' "$0/NEWS")"
}
