'use strict';
const units = {ns: 1e-9, us: 1e-6, ms: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12,
	Ki: 2**10, Mi: 2**20, Gi: 2**30, Ti: 2**40};

// Cells that begin with a number sort first, by value including the unit, then texts, then empty ones.
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

for (const table of document.querySelectorAll('table')) {
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
		input.oninput = () => filter(table, input.value.toLowerCase().split(/\s+/));
		table.parentNode.before(input);
	}
}
