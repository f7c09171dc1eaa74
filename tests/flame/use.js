// SPDX-License-Identifier: BSD-2-Clause
// Uses a flame graph as people do. tests/host/flame.sh appends this to a copy of one; the result is an attribute of the
// document: "ok", or what is wrong. The stacks are those of test_browser.
(() => {
	'use strict';
	const svg = document.documentElement, frames = [...document.getElementById('frames').children];
	const input = document.querySelector('input'), reset = document.querySelector('button');
	const found = document.querySelector('output'), info = document.getElementById('info');
	const wrong = [];
	const expect = (is, want, what) => is === want || wrong.push(`${what}: ${is}, not ${want}`);
	const near = (is, want, what) => Math.abs(is - want) < .05 || wrong.push(`${what}: ${is}, not ${want}`);

	const nameOf = g => g.firstChild.textContent.split('\n')[0];
	const all = name => frames.filter(g => nameOf(g) == name);
	const frame = name => all(name)[0];
	const isShown = g => getComputedStyle(g).display != 'none';
	const shown = () => frames.filter(isShown).map(nameOf).join(' ');
	const placeOf = g => g.transform.baseVal.getItem(0).matrix.e;
	const widthOf = g => g.querySelector('rect').width.baseVal.value;
	const labelOf = g => (g.querySelector('text') || {}).textContent || '';
	const hits = () => frames.filter(g => g.classList.contains('hit')).map(nameOf).join(' ');
	const click = g => g.querySelector('rect').dispatchEvent(new MouseEvent('click', { bubbles: true }));
	const hover = g => g.querySelector('rect').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
	const press = (key, more) => {
		const e = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
		document.activeElement.dispatchEvent(e);
		return e.defaultPrevented;
	};
	const type = text => {
		input.value = text;
		input.dispatchEvent(new Event('input', { bubbles: true }));
	};
	// What the browser does when one goes back to an address. It would do so later, maybe after this has ended.
	const back = address => {
		history.replaceState(null, '', address);
		dispatchEvent(new PopStateEvent('popstate'));
	};
	// Frames fill the window, in proportion, and no label is wider than its frame.
	const checkPlaces = total => {
		const inside = svg.getBoundingClientRect().width - 32;
		for (const g of frames.filter(isShown)) {
			const n = Math.min(+g.dataset.n, total), want = n / total * inside, text = g.querySelector('text');
			near(widthOf(g), want - Math.min(1, want / 4), `width of ${nameOf(g)}`);
			if (text && text.getComputedTextLength() > want - 7.5)
				wrong.push(`the label ${text.textContent} is wider than its frame`);
		}
	};

	// The title ends in front of the controls.
	const checkHead = () => {
		const left = (reset.hidden ? input : reset).getBoundingClientRect().left;
		if (document.getElementById('title').getBoundingClientRect().right > left)
			wrong.push('the title is below the controls');
	};

	const steps = {
		start() {
			expect(svg.classList.contains('live'), true, 'the script has run');
			expect(frames.every(isShown), true, 'all frames are shown');
			checkPlaces(28);
			near(placeOf(frame('c')), 16 + 8 / 28 * (svg.clientWidth - 32), 'place of c');
			expect(labelOf(frame('main')), 'main', 'label');
			checkHead();
			expect(reset.hidden, true, 'nothing to reset');
		},
		long_names() {
			const label = labelOf(frames.find(g => nameOf(g).startsWith('std::')));
			const known = /^(std::map<int, .*\)|(std::map|…map)::insert_or_assign|…?insert.*)$/;
			expect(known.test(label), true, `label ${label}`);
		},
		foreign_letters() {
			for (const name of ['größe', '漢字']) {
				const label = labelOf(frames.find(g => nameOf(g).startsWith(name)));
				expect(label.startsWith(name) && label.endsWith('…'), true, `label ${label}`);
			}
		},
		tooltip() {
			hover(frame('b'));
			expect(info.textContent, 'b · 6 samples, 21.43 %', 'line of the frame below the mouse');
		},
		zoom() {
			click(frame('a'));
			expect(shown(), 'all sh main a b', 'zoomed to a');
			checkPlaces(8);
			near(placeOf(frame('a')), 16, 'place of a');
			expect(frame('main').classList.contains('path'), true, 'main is on the way to a');
			expect(frame('b').classList.contains('path'), false, 'b is not');
			expect(location.hash, `#zoom=${frames.indexOf(frame('a'))}`, 'address');
			expect(reset.hidden, false, 'it can be reset');
			checkHead();
			hover(frame('b'));
			expect(info.textContent, 'b · 6 samples, 21.43 % · 75.00 % of what is shown', 'line of b');
		},
		search() {
			expect(press('f', { ctrlKey: true }), true, 'Ctrl-F is ours');
			expect(document.activeElement, input, 'focus');
			type('^b$');
			expect(hits(), 'b', 'what matches');
			expect(getComputedStyle(frame('b').querySelector('rect')).fill, 'rgb(138, 52, 171)', 'color');
			expect(found.textContent, '75.00 % match', 'share of what is shown');
			expect(press('f', { ctrlKey: true }), false, "a second Ctrl-F is the browser's");
		},
		search_leaves() {
			press('Escape');
			expect(hits(), '', 'nothing matches nothing');
			expect(found.textContent + input.value, '', 'no share');
			expect(document.activeElement, frame('a'), 'focus');
			expect(shown(), 'all sh main a b', 'still zoomed');
		},
		reset_by_key() {
			press('Escape');
			expect(frames.every(isShown), true, 'all are shown');
			expect(location.hash, '', 'address');
		},
		back() {
			const length = history.length;
			back(`#zoom=${frames.indexOf(frame('a'))}`);
			expect(shown(), 'all sh main a b', 'zoomed again');
			click(frame('main'));
			expect(shown(), 'all sh main a b c std::map<int, std::string>::insert_or_assign(int&&, char const*) x', 'zoomed to main');
			expect(history.length, length + 1, 'addresses to go back to');
			reset.click();
			expect(frames.every(isShown), true, 'all are shown');
			expect(history.length, length + 2, 'addresses to go back to');
			type('a');
			type('ab');
			expect(history.length, length + 2, 'addresses to go back to');
			type('');
		},
		// a frame in a frame that matches is not counted twice
		search_share() {
			type('A|B');
			expect(hits(), '', 'letters count if there is a capital one');
			type('a$|b|kernel');
			expect(hits(), 'a b kernel_read', 'what matches');
			expect(found.textContent, '39.29 % match', 'share');
			input.focus();
			press('Enter');
			expect(info.textContent.slice(0, 2), 'a ', 'the next that matches, after main');
			type('(');
			expect(input.validity.valid, false, 'no expression');
			expect(hits() + found.textContent, '', 'matches nothing');
			type('');
			expect(input.validity.valid, true, 'none');
			expect(location.hash, '', 'address');
		},
		keys() {
			frame('all').focus();
			click(frame('all'));
			press('ArrowUp');
			expect(document.activeElement, frame('sh'), 'up to the widest');
			press('ArrowRight');
			expect(nameOf(document.activeElement), 'sleep', 'right');
			press('ArrowLeft');
			press('ArrowUp');
			press('ArrowUp');
			expect(document.activeElement, frame('a'), 'up, up');
			press('ArrowDown');
			expect(document.activeElement, frame('main'), 'down');
			expect(document.querySelectorAll('[tabindex="0"]').length, 1, 'frames that the tab key reaches');
			press('Enter');
			expect(shown().includes('sleep'), false, 'zoomed');
			press('Home');
			expect(document.activeElement, frame('main'), 'home');
			expect(press('x'), false, 'other keys are not ours');
			press('Escape');
		},
		// The window cannot be resized from within; the picture can.
		resize() {
			svg.setAttribute('width', '50%');
			dispatchEvent(new Event('resize'));
			near(widthOf(frame('all')), innerWidth / 2 - 33, 'width of all');
			checkPlaces(28);
			svg.setAttribute('width', '100%');
		},
		hostile() {
			expect(svg.dataset.hacked, undefined, 'code in a name has run');
			expect(document.querySelectorAll('script').length, 2, 'scripts');
		}
	};
	for (const [name, step] of Object.entries(steps)) {
		const before = wrong.length;
		try {
			step();
		} catch (e) {
			wrong.push(`${name}: ${e}`);
		}
		if (wrong.length > before)
			wrong[before] = `${name}: ${wrong[before]}`;
	}
	svg.dataset.result = wrong.join('; ') || 'ok';
})();
