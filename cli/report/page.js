'use strict';
const units = {ns: 1e-9, us: 1e-6, ms: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12,
	Ki: 2**10, Mi: 2**20, Gi: 2**30, Ti: 2**40};

// Cells that begin with a number sort first, by value including the unit, then texts, then empty
// cells.
function value(cell) {
	const text = cell.textContent.trim();
	const m = /^[\u00b1+]?(-?[\d.]+(?:e[-+]?\d+)?) ?([a-zA-Z]*)/.exec(text);
	return text === '' ? [2, 0] : m ? [0, m[1] * (units[m[2]] || 1)] : [1, text];
}

// A click on a title, or Enter, sorts a table; words filter it.
function sort(table, column) {
	const body = table.tBodies[0], titles = table.tHead.rows[0].cells;
	const up = titles[column].getAttribute('aria-sort') !== 'ascending';
	for (const title of titles)
		title.removeAttribute('aria-sort');
	titles[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
	const rows = [...body.rows].map(row => ({row, key: value(row.cells[column])}));
	rows.sort(({key: a}, {key: b}) => a[0] !== b[0] ? a[0] - b[0]
		: (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) * (up ? 1 : -1));
	table.classList.add('sorted');
	body.append(...rows.map(r => r.row));
}

function filter(table, words) {
	for (const row of table.tBodies[0].rows)
		row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
}

// ---- the chart of a table: time over the number with the most values, a line per variant --------

const W = 480, H = 280, LEFT = 60, RIGHT = 150, TOP = 10, BOTTOM = 44, LINES = 8, LABEL = 13;
// Okabe and Ito, "Color universal design", 2008; with enough contrast on white and on black.
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#3fa0d8', '#7a8288',
	'#a05195'];

const escaped = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);

// A number with three digits and the largest of these units that it reaches.
function label(number, names) {
	const name = names.filter(n => number >= 0.9995 * (units[n] || 1)).pop() ?? names[0];
	return `${+(number / (units[name] || 1)).toPrecision(3)} ${name}`.trim();
}

// A logarithmic scale of values low .. high on pixels from .. to, with some air, and its ticks:
// 1, 2, 5, 10, ..., or powers of ten only where these would be too close.
function scale(values, from, to, apart) {
	const least = Math.min(...values), most = Math.max(...values);
	const air = Math.max((most / least) ** 0.04, 1.02), low = least / air, high = most * air;
	const at = v => from + Math.log(v / low) / Math.log(high / low) * (to - from);
	const decade = Math.abs(to - from) / Math.log10(high / low), ticks = [];
	const close = decade * Math.log10(2) < apart, step = close ? Math.ceil(apart / decade) : 1;
	for (let e = Math.floor(Math.log10(low)); 10 ** e <= high; e += step)
		ticks.push(...(close ? [1] : [1, 2, 5]).map(lead => lead * 10 ** e));
	return {at, ticks: ticks.filter(t => t >= low && t <= high)};
}

// The positive number in a cell, else NaN.
function number(row, column) {
	const [kind, v] = column < 0 ? [] : value(row.cells[column]);
	return kind === 0 && v > 0 ? v : NaN;
}

// The columns of a table: setups tell runs apart; all variants have the parameters of points, and
// only some have the others.  x is the one of points with the most numbers, three or more; else -1.
function columns_of(table) {
	const titles = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
	const rows = [...table.tBodies[0].rows], variant = titles.indexOf('variant');
	const before = [...titles.keys()].slice(0, Math.max(variant, 0));
	const setups = before.filter(c => ['run', 'cache'].includes(titles[c]));
	const params = before.filter(c => !setups.includes(c));
	const points = params.filter(c => rows.every(row => row.cells[c].textContent !== ''));
	const others = params.filter(c => !points.includes(c));
	const numbers = c => new Set(rows.map(row => number(row, c)).filter(v => v > 0)).size;
	const most = Math.max(...points.map(numbers));
	const x = most < 3 ? -1 : points.find(c => numbers(c) === most) ?? -1;
	return {titles, setups, shared: points.filter(c => c !== x), others, x, variant,
		time: titles.indexOf('time', variant), interval: titles.indexOf('95 %')};
}

// The points of the rows that are shown, by line, from the slowest line to the fastest.  They agree
// with the first row in all that all variants have, except x.
function lines_of(table) {
	const {titles, setups, shared, others, x, variant, time, interval} = columns_of(table);
	const rows = [...table.tBodies[0].rows].filter(row => !row.hidden), lines = new Map();
	for (const row of rows) {
		const text = c => row.cells[c].textContent, y = number(row, time);
		const at = number(row, x), half = number(row, interval) / 100 || 0;
		if (!(y > 0 && at > 0 && half < 1) ||
		    shared.some(c => text(c) !== rows[0].cells[c].textContent))
			continue;
		const own = others.filter(text).map(c => ` ${titles[c]}=${text(c)}`);
		const setup = setups.filter(text).map(c => `, ${text(c)}`);
		const name = [text(variant), ...own, ...setup].join('');
		const mark = {x: at, y, low: y * (1 - half), high: y * (1 + half),
			title: `${titles[x]}=${text(x)}: ${text(time)}`};
		lines.set(name, [...lines.get(name) ?? [], mark]);
	}
	for (const points of lines.values())
		points.sort((a, b) => a.x - b.x);
	const same = shared.map(c => `, ${titles[c]}=${rows[0]?.cells[c].textContent}`).join('');
	return {x: titles[x], caption: `time over ${titles[x]}${same}`,
		lines: [...lines].sort(([, a], [, b]) => b.at(-1).y - a.at(-1).y)};
}

function draw(figure, table) {
	const {caption, x, lines} = lines_of(table), drawn = lines.slice(-LINES);
	const marks = drawn.flatMap(([, points]) => points), more = lines.length - drawn.length;
	figure.innerHTML = '';
	if (marks.length === 0)
		return;
	const sx = scale(marks.map(m => m.x), LEFT, W - RIGHT, 48);
	const sy = scale(marks.flatMap(m => [m.low, m.high]), H - BOTTOM, TOP, 14);
	const pair = (v, t) => `${sx.at(v).toFixed(1)},${sy.at(t).toFixed(1)}`;
	const line = (x1, x2, y1, y2) =>
		`<line class="rule" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;
	const words = (left, top, anchor, text) =>
		`<text class="soft" x="${left}" y="${top}" text-anchor="${anchor}">` +
		`${escaped(text)}</text>`;
	const parts = [words((LEFT + W - RIGHT) / 2, H - 8, 'middle', x)];
	for (const tick of sy.ticks) {
		const y = sy.at(tick);
		parts.push(line(LEFT, W - RIGHT, y, y),
			words(LEFT - 6, y + 4, 'end', label(tick, ['ns', 'us', 'ms', 's'])));
	}
	for (const tick of sx.ticks) {
		const left = sx.at(tick);
		parts.push(line(left, left, TOP, H - BOTTOM),
			words(left, H - BOTTOM + 16, 'middle',
				label(tick, ['', 'k', 'M', 'G', 'T'])));
	}
	let next = TOP;
	drawn.forEach(([name, points], i) => {
		const color = colors[i], lowest = H - LABEL * (drawn.length - i);
		const y = Math.min(Math.max(sy.at(points.at(-1).y), next), lowest);
		const band = [...points.map(m => pair(m.x, m.low)),
			...points.map(m => pair(m.x, m.high)).reverse()].join(' ');
		const middle = points.map(m => pair(m.x, m.y)).join(' ');
		next = y + LABEL;
		parts.push(`<path fill="${color}" fill-opacity=".2" d="M${band}z"/>`,
			`<polyline fill="none" stroke="${color}" stroke-width="1.6" ` +
			`points="${middle}"/>`);
		for (const m of points)
			parts.push(`<circle fill="${color}" cx="${sx.at(m.x).toFixed(1)}" ` +
				`cy="${sy.at(m.y).toFixed(1)}" r="3">` +
				`<title>${escaped(m.title)}</title></circle>`);
		parts.push(`<text fill="${color}" x="${W - RIGHT + 8}" y="${y + 4}">` +
			`${escaped(name.slice(0, 26))}<title>${escaped(name)}</title></text>`);
	});
	figure.innerHTML = `<svg viewBox="0 0 ${W} ${H}" width="${W}" height="${H}" role="img" ` +
		`aria-label="${escaped(caption)}">\n${parts.join('\n')}\n</svg><figcaption>` +
		`${escaped(caption)}; bands: 95 % interval of the median` +
		(more > 0 ? `; ${more} more lines are in the table only` : '') + '</figcaption>';
}

for (const table of document.querySelectorAll('table')) {
	const next = table.parentNode.nextElementSibling;
	const figure = next?.tagName === 'FIGURE' ? next : null;
	[...table.tHead.rows[0].cells].forEach((title, column) => {
		title.tabIndex = 0;
		title.title = 'sort by this column';
		title.onclick = () => sort(table, column);
		title.onkeydown = event => { if (event.key === 'Enter') sort(table, column); };
	});
	if (table.tBodies[0].rows.length > 7) {
		const input = document.createElement('input');
		input.type = 'search';
		input.placeholder = 'rows with these words';
		input.ariaLabel = 'show only rows with these words';
		input.oninput = () => {
			filter(table, input.value.toLowerCase().split(/\s+/));
			if (figure)
				draw(figure, table);
		};
		table.parentNode.before(input);
	}
	if (figure)
		draw(figure, table);
}
