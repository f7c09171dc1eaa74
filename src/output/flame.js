// SPDX-License-Identifier: BSD-2-Clause
// What a flame graph does in a browser: fits the window, zooms, searches. flame.c writes the frames: <g data-n="COUNT"
// transform="translate(X Y)"><title/><rect/><text/></g>, each before the frames above it. The address has the state
// (#zoom=FRAME&find=REGEX), so that the browser's "back" undoes a step and a link shows the same.
(() => {
	'use strict';
	const svg = document.documentElement, $ = id => document.getElementById(id);
	// Within a page of somebody else the picture stays as it is.
	if (svg.localName != 'svg')
		return;
	const SIDE = 16, ROW = 18, PAD = 4, list = [...$('frames').children];
	const make = (tag, space) => document.createElementNS('http://www.w3.org/' + space, tag);
	const svgNS = '2000/svg', htmlNS = '1999/xhtml';
	const info = $('info'), hint = 'Click a frame to zoom, Ctrl-F to search, Esc to go back';
	const yOf = g => +g.getAttribute('transform').match(/ (\S+)\)/)[1];

	// --- the frames: x and n are in units of the count ---
	const next = [0], path = [], bottom = yOf(list[0]);
	const boxes = list.map((g, i) => {
		const lines = g.firstChild.textContent.split('\n');
		const y = yOf(g), depth = (bottom - y) / ROW, n = +g.dataset.n, x = next[depth];
		const box = { g, i, y, depth, n, x, name: lines.shift(), parent: path[depth - 1] };
		box.about = lines.join(' \u00b7 ');
		next[depth] = x + n;
		next[depth + 1] = x;
		return g.box = path[depth] = box;
	});
	let zoom = boxes[0], current = zoom, find = '', column;

	// --- text ---
	const windowWidth = () => svg.getBoundingClientRect().width || innerWidth;
	// Measured outside of the picture: the size of something in it would be known only after all of it is laid out.
	const canvas = make('canvas', htmlNS).getContext('2d');
	const widthOf = (text, like) => {
		canvas.font = like.font = like.font || getComputedStyle(like).font;
		return canvas.measureText(text).width;
	};
	// Cuts a text to a width. In frames each letter of ASCII is one column wide; the rest is measured.
	const fit = (text, width, like) => {
		const chars = [...text];
		let n = chars.length, low = 0;
		if (like.id == 'title' || like.classList.contains('note') || /[^ -~\u2026]/.test(text)) {
			if (widthOf(text, like) <= width)
				return text;
			while (low < n) {
				const half = (low + n + 1) >> 1;
				if (widthOf(chars.slice(0, half).join('') + '\u2026', like) <= width)
					low = half;
				else
					n = half - 1;
			}
		} else if (n * column <= width) {
			return text;
		} else {
			n = Math.floor(width / column) - 1;
		}
		return n > 1 ? chars.slice(0, n).join('') + '\u2026' : '';
	};
	// As flame_label_add() does.
	const shorten = (name, columns) => {
		let depth = 0, plain = '';
		if (name.length <= columns || !name.includes('::') || name.includes('operator') || name[0] == '<')
			return name;
		for (const c of name) {
			depth += c == '<' || c == '(';
			plain += depth ? '' : c;
			depth -= c == '>' || c == ')';
			if (depth < 0)
				return name;
		}
		plain = plain.replace(/ \[.*/, '').replace(/( const)+$/, '').replace(/.* /, '').replace(/^::/, '');
		if (depth || !plain || /::::|:$/.test(plain))
			return name;
		if (plain.length <= columns)
			return plain;
		while (plain.length + 1 > columns && plain.includes('::'))
			plain = plain.slice(plain.indexOf('::') + 2);
		return plain.length < columns ? '\u2026' + plain : plain;
	};
	const label = (box, width) => {
		let text = box.g.childNodes[2];
		const inside = width - 2 * PAD;
		const shown = inside < 4 * column ? '' : fit(shorten(box.name, inside / column), inside, info);
		if (!text && shown) {
			text = box.g.appendChild(make('text', svgNS));
			text.setAttribute('x', PAD);
			text.setAttribute('y', 12.5);
		}
		if (text && text.textContent != shown)
			text.textContent = shown;
	};

	// --- drawing ---
	const isShown = box => box.x < zoom.x + zoom.n && box.x + box.n > zoom.x;
	const draw = () => {
		const width = windowWidth(), scale = (width - 2 * SIDE) / (zoom.n || 1), end = zoom.x + zoom.n;
		column = widthOf('0'.repeat(100), info) / 100;
		for (const box of boxes) {
			const x = Math.max(box.x, zoom.x), w = (Math.min(box.x + box.n, end) - x) * scale;
			const hidden = box != boxes[0] && (!isShown(box) || w < .05);
			box.g.style.display = hidden ? 'none' : '';
			if (hidden)
				continue;
			box.g.setAttribute('transform', `translate(${SIDE + (x - zoom.x) * scale} ${box.y})`);
			box.g.childNodes[1].setAttribute('width', Math.max(0, w - Math.min(1, w / 4)));
			box.g.classList.toggle('path', box.depth < zoom.depth);
			label(box, w);
		}
	};
	// Texts that are as wide as the window; the title leaves room for the controls.
	const fitTexts = () => {
		const width = windowWidth() - 2 * SIDE, gap = 8;
		clear.hidden = zoom == boxes[0];
		tools.setAttribute('width', width);
		const used = [...form.children].reduce((sum, part) => sum + part.offsetWidth + gap, gap);
		for (const text of document.querySelectorAll('[data-full]'))
			text.textContent = fit(text.dataset.full, width - (text.id == 'title' ? used : 0), text);
	};
	// Marks what matches, and says how much of what is shown that is. Frames above a match are in it already.
	const mark = () => {
		let what = null, sum = 0, until = -1;
		input.setCustomValidity('');
		try {
			what = find && new RegExp(find, find == find.toLowerCase() ? 'i' : '');
		} catch (e) {
			input.setCustomValidity(e.message);
		}
		for (const box of boxes) {
			const hit = !!what && !box.g.dataset.more && what.test(box.name);
			box.g.classList.toggle('hit', hit);
			if (hit && isShown(box) && box.x >= until) {
				sum += Math.min(box.n, zoom.n);
				until = box.x + box.n;
			}
		}
		found.textContent = what ? (100 * sum / (zoom.n || 1)).toFixed(2) + ' % match' : '';
		found.title = 'share of the frames that match, and of what they call';
	};
	const tell = box => {
		const width = windowWidth() - 2 * SIDE;
		let tail = ' \u00b7 ' + box.about;
		if (zoom != boxes[0])
			tail += ` \u00b7 ${(100 * Math.min(1, box.n / zoom.n)).toFixed(2)} % of what is shown`;
		info.textContent = fit(box.name, Math.max(width - tail.length * column, 20 * column), info) + tail;
	};
	const rest = () => {
		if (zoom == boxes[0])
			info.textContent = fit(hint, windowWidth() - 2 * SIDE, info);
		else
			tell(zoom);
	};

	// --- state ---
	const show = () => {
		const state = new URLSearchParams(location.hash.slice(1));
		zoom = boxes[+state.get('zoom')] || boxes[0];
		find = state.get('find') || '';
		if (input.value != find)
			input.value = find;
		draw();
		mark();
		fitTexts();
		rest();
	};
	const go = (box, what, keep) => {
		const state = new URLSearchParams();
		if (box != boxes[0])
			state.set('zoom', box.i);
		if (what)
			state.set('find', what);
		if (String(state) != location.hash.slice(1))
			history[keep ? 'replaceState' : 'pushState'](null, '', '#' + state);
		show();
	};
	// One frame can be reached by the tab key; arrows move from there.
	const move = (box, focus) => {
		current.g.removeAttribute('tabindex');
		current = box;
		box.g.setAttribute('tabindex', 0);
		box.g.setAttribute('role', 'button');
		if (focus)
			box.g.focus();
	};

	// --- controls ---
	const head = $('head'), tools = make('foreignObject', svgNS), form = make('form', htmlNS);
	const found = make('output', htmlNS), input = make('input', htmlNS), clear = make('button', htmlNS);
	input.placeholder = 'Search (Ctrl-F)';
	input.setAttribute('aria-label', 'Search by regular expression');
	clear.type = 'button';
	clear.textContent = 'Reset zoom';
	form.append(found, clear, input);
	tools.append(form);
	for (const [name, value] of [['x', SIDE], ['y', 10], ['height', 30]])
		tools.setAttribute(name, value);
	head.append(tools);
	form.onsubmit = e => e.preventDefault();
	input.oninput = () => go(zoom, input.value, true);
	clear.onclick = () => go(boxes[0], find);

	const boxAt = e => (e.target.closest('#frames>g') || {}).box;
	$('frames').onclick = e => {
		const box = boxAt(e);
		if (box) {
			move(box, true);
			go(box, find);
		}
	};
	// What the colors mean leads to the frames of that color.
	for (const key of document.querySelectorAll('[data-find]'))
		key.onclick = () => go(zoom, find == key.dataset.find ? '' : key.dataset.find);
	$('frames').onmouseover = e => boxAt(e) && tell(boxAt(e));
	$('frames').addEventListener('focusin', e => boxAt(e) && tell(boxAt(e)));
	$('frames').onmouseleave = rest;

	const widest = some => some.reduce((a, b) => a && a.n >= b.n ? a : b, undefined);
	// The frame that a key leads to from the current one.
	const step = key => {
		const shown = boxes.filter(box => box.g.style.display != 'none');
		const row = shown.filter(box => box.depth == current.depth), at = row.indexOf(current);
		return {
			ArrowUp: () => widest(shown.filter(box => box.parent == current)),
			ArrowDown: () => current.parent,
			ArrowLeft: () => row[at - 1],
			ArrowRight: () => row[at + 1],
			Home: () => zoom
		}[key]?.();
	};
	const nextHit = () => {
		const hits = boxes.filter(box => box.g.classList.contains('hit') && isShown(box));
		return hits.find(box => box.i > current.i) || hits[0];
	};
	document.onkeydown = e => {
		const typing = e.target == input;
		const to = typing || e.ctrlKey || e.altKey || e.metaKey ? null : step(e.key);
		if (!typing && (e.key == '/' || (e.key == 'f' && (e.ctrlKey || e.metaKey)))) {
			input.focus();
			input.select();
		} else if (e.key == 'Escape') {
			if (typing || find)
				go(zoom, '');
			else
				go(boxes[0], '');
			move(isShown(current) ? current : zoom, true);
		} else if (typing && e.key == 'Enter' && nextHit()) {
			move(nextHit(), false);
			tell(current);
		} else if (boxAt(e) && (e.key == 'Enter' || e.key == ' ')) {
			go(boxAt(e), find);
		} else if (to) {
			move(to, true);
		} else {
			return;
		}
		e.preventDefault();
	};

	svg.removeAttribute('viewBox');
	svg.setAttribute('width', '100%');
	svg.classList.add('live');
	onscroll = () => head.setAttribute('transform', `translate(0 ${scrollY})`);
	onresize = onpopstate = show;
	move(boxes[0], false);
	show();
	// The root is at the bottom: begin there if it is not to be seen.
	if (bottom + ROW > innerHeight)
		scrollTo(0, bottom + 5 * ROW - innerHeight);
})();
