// The live page of the sample: calls the desk, shows its answers, and draws its figures.
"use strict";

const visit = Math.random().toString(36).slice(2, 8);
const MOST_ANSWERS = 8;
const HEADERS = ["Retry-After", "RateLimit", "Idempotent-Replayed", "X-Cache", "WWW-Authenticate"];
// These are on every answer
const USUAL = /^(cache-control|connection|date|expires|keep-alive|pragma|transfer-encoding|vary|x-.*-options|x-xss-protection)$/;
let serial = 0;

const $ = (selector, from = document) => from.querySelector(selector);
const sleep = (millis) => new Promise((done) => setTimeout(done, millis));
const fresh = (name) => `${name}-${visit}-${++serial}`;

/** Makes an element. Text is never parsed as HTML, so that any answer can be shown. */
function make(tag, attributes = {}, ...children) {
	const svg = ["svg", "g", "path"].includes(tag);
	const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
	Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
	element.append(...children);
	return element;
}

// ---- Calls and answers ----

async function send(method, path, body, headers = {}, credentials = "same-origin") {
	const answer = { method, path, sent: { ...headers }, status: 0, text: "", headers: new Headers() };
	if (body !== undefined) {
		answer.sent["Content-Type"] = "application/json";
		answer.body = JSON.stringify(body);
	}
	const start = performance.now();
	try {
		const response = await fetch(path, { method, headers: answer.sent, body: answer.body, credentials });
		answer.text = await response.text();
		answer.status = response.status;
		answer.headers = response.headers;
	}
	catch (failure) {
		answer.text = String(failure);
	}
	answer.millis = Math.round(performance.now() - start);
	answer.served = Math.round(Number(/app;dur=([\d.]+)/.exec(answer.headers.get("Server-Timing"))?.[1] ?? answer.millis));
	answer.json = /json/.test(answer.headers.get("Content-Type")) ? JSON.parse(answer.text) : {};
	return answer;
}

/** Ends what a card does: one of its calls has no answer, or another one than the card is about. */
class Refused extends Error {
	constructor({ method, path, status, json }) {
		super(status ? `${method} /${path} got ${status}: ${json.detail ?? json.title ?? "no reason given"}`
			: `${method} /${path} got no answer. Does the application run?`);
	}
}

/** Returns an answer if it has the wanted status, any good one by default. */
function expect(answer, ...wanted) {
	if (wanted.length ? !wanted.includes(answer.status) : kind(answer.status) !== "good") {
		throw new Refused(answer);
	}
	return answer;
}

const kind = (status) => (status >= 500 || status === 0) ? "bad" : (status >= 400) ? "warn" : "good";

const clip = (text, most) => (text.length > most) ? `${text.slice(0, most)}…` : text;

function curl(answer) {
	const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
	const headers = Object.entries(answer.sent)
		.map(([name, value]) => name === "Authorization" ? ' -H "Authorization: Bearer $TOKEN"' : ` -H ${quote(`${name}: ${value}`)}`);
	return `curl -i -X ${answer.method}${headers.join("")}${answer.body ? ` -d ${quote(answer.body)}` : ""} ${quote(new URL(answer.path, document.baseURI).href)}`;
}

function pretty(answer) {
	const short = (name, value) => (typeof value === "string") ? clip(value, 90) : value;
	return answer.text && Object.keys(answer.json).length ? JSON.stringify(answer.json, short, 2) : answer.text || "(no body)";
}

function show(card, answer) {
	const told = HEADERS.filter((name) => answer.headers.has(name))
		.map((name) => make("span", { class: "header" }, make("b", {}, name), ` ${clip(answer.headers.get(name), 40)}`));
	const all = [...answer.headers].filter(([name]) => !USUAL.test(name)).map(([name, value]) => `${name}: ${value}`).join("\n");
	const entry = make("li", {}, make("details", {},
		make("summary", {},
			make("span", { class: `status ${kind(answer.status)}` }, String(answer.status || "—")),
			make("span", { class: "path" }, make("b", {}, answer.method), ` /${answer.path}`),
			make("span", { class: "millis", title: `${answer.millis} ms for the browser` }, `${answer.served} ms`),
			...(told.length ? [make("span", { class: "headers" }, ...told)] : [])),
		make("pre", {}, pretty(answer)), make("pre", {}, all), make("pre", { class: "curl" }, curl(answer))));
	const log = $(".log", card);
	log.prepend(entry);
	log.children[MOST_ANSWERS]?.remove();
}

/** Calls the desk and shows the answer on the card. */
async function call(card, ...request) {
	const answer = await send(...request);
	show(card, answer);
	return answer;
}

/** The same for a call that has to succeed. */
const must = async (card, ...request) => expect(await call(card, ...request));

function say(card, text) {
	$(".result", card).textContent = text;
	$(".result", card).classList.remove("none");
}

/** Asks until the answer is as wanted, at most 15 seconds. Redis may hang meanwhile, the application may not end. */
async function until(wanted, ...request) {
	let answer;
	for (let tries = 0; tries < 75; tries++) {
		answer = await send(...request);
		if (answer.status === 0) {
			break;
		}
		if (kind(answer.status) === "good" && wanted(answer.json)) {
			return answer;
		}
		await sleep(200);
	}
	expect(answer);
	return null;
}

/** Makes some calls at a time: a browser queues more than six, and the wait would count as theirs. */
async function lanes(width, calls) {
	const waiting = [...calls.entries()];
	const answers = [];
	await Promise.all(Array.from({ length: width }, async () => {
		for (let next = waiting.shift(); next; next = waiting.shift()) {
			answers[next[0]] = await next[1]();
		}
	}));
	return answers;
}

/** Draws a square for each answer as it comes, and shows the first answer of each status. */
function strip(card, width, calls) {
	const seen = new Set();
	const squares = calls.map(() => make("i"));
	$(".strip", card).replaceChildren(...squares);
	return lanes(width, calls.map((each, index) => async () => {
		const answer = await each();
		// A call that was let through and answered 401 differs from one that was refused
		squares[index].className = answer.status === 401 ? "info" : kind(answer.status);
		squares[index].title = `${answer.status}, ${answer.served} ms`;
		if (!seen.has(answer.status)) {
			seen.add(answer.status);
			show(card, answer);
		}
		return answer;
	}));
}

const among = (answers, status) => answers.filter((answer) => answer.status === status);

/** Counts the answers that a card is not about. */
function others(answers, ...known) {
	const other = answers.filter(({ status }) => !known.includes(status));
	return other.length ? ` ${other.length} failed: ${new Refused(other[0]).message}` : "";
}

// ---- The cards ----

let agent = `agent-${visit}`;
let letter = null;
let waiting = [];

async function burst(card) {
	const answers = await strip(card, 5, Array.from({ length: 30 }, (none, index) => () =>
		send("POST", `api/agents/${agent}/tasks`, { workItemId: `w-${index}`, payload: null })));
	const refused = among(answers, 429);
	const wait = refused.length ? ` Retry in ${refused[0].headers.get("Retry-After")} s.` : "";
	say(card, `${among(answers, 202).length} admitted, ${refused.length} refused.${wait}${others(answers, 202, 429)}`);
}

const login = (card) => must(card, "POST", "api/auth/login", { username: "anna", password: "demo" });
const bearer = (answer) => ({ Authorization: `Bearer ${answer.json.accessToken}` });
const sale = (card, key, quantity, query = "") =>
	call(card, "POST", `api/positions/p-3/sell${query}`, { quantity }, { "Idempotency-Key": key });
const left = async () => expect(await send("GET", "api/positions/p-3")).json.quantity;
const trigger = (workItem, who, reason) => ["POST", `api/triggers/core/${who}`,
	{ workItem, context: { project: "page" }, triggeredBy: "page", reason }];
const BALANCE = "api/wallets/w-1/balances/SOL";
const COMPLETED = ["GET", "api/work/completed?agent=planner"];
const completed = (items, wanted) => items.filter((each) => wanted.includes(each.workItem)).length;

async function awaitLetter(card, workItem) {
	say(card, "Waiting for three deliveries…");
	const found = await until((letters) => letters.some((each) => each.workItem === workItem), "GET", "api/triggers/dead-letters");
	letter = found && found.json.find((each) => each.workItem === workItem);
	if (letter) {
		show(card, found);
	}
	say(card, letter ? `Dead letter after ${letter.deliveries} deliveries: ${letter.reason}` : "No dead letter yet. Are the agents halted?");
}

async function run(card, type) {
	const queued = await must(card, "POST", "api/jobs", { type, payload: { pair: "SOL/USDC" }, priority: 5 });
	say(card, "Waiting for the result…");
	const ended = await until((job) => ["done", "failed"].includes(job.status), "GET", `api/jobs/${queued.json.id}`);
	if (!ended) {
		return say(card, "The job has not ended yet.");
	}
	show(card, ended);
	say(card, `The job is ${ended.json.status} after ${ended.json.attempts} ${ended.json.attempts === 1 ? "attempt" : "attempts"}.`);
}

const actions = {
	burst,
	burstOther(card) {
		agent = fresh("agent");
		return burst(card);
	},
	async guess(card) {
		const answers = await strip(card, 1, Array.from({ length: 8 }, (none, index) => () =>
			send("POST", "api/live/login", { username: "boris", password: `guess-${index}` })));
		say(card, `${among(answers, 401).length} passwords checked, ${among(answers, 429).length} guesses refused unchecked.${others(answers, 401, 429)}`);
	},
	async race(card) {
		const path = `api/agents/agent-${visit}/run?millis=`;
		const first = call(card, "POST", `${path}1200`);
		await sleep(250);
		const second = await call(card, "POST", `${path}0`);
		const won = expect(await first);
		expect(second, 409);
		const next = await must(card, "POST", `${path}0`);
		say(card, `While one ran, the other got 409. Tokens: ${won.json.fencingToken}, then ${next.json.fencingToken}.`);
	},
	async value(card) {
		const price = (10 + Math.random() * 5).toFixed(2);
		const written = await must(card, "PUT", "api/positions/p-1/valuation", { price });
		say(card, `Price ${written.json.price}; the row keeps the token ${written.json.fence}.`);
	},
	async sell(card) {
		const key = fresh("sale");
		const before = await left();
		const first = expect(await sale(card, key, "0.5"));
		const second = expect(await sale(card, key, "0.5"));
		say(card, `${before} before, ${await left()} after. ${first.text === second.text ? "Both calls have the same answer." : "The answers differ."}`);
	},
	async sellOther(card) {
		const key = fresh("sale");
		expect(await sale(card, key, "0.5"));
		expect(await sale(card, key, "0.7"), 422);
		say(card, "Another amount with the same key: 422.");
	},
	async sellFail(card) {
		const key = fresh("sale");
		const before = await left();
		expect(await sale(card, key, "0.5", "?fail=after"), 500);
		const between = await left();
		expect(await sale(card, key, "0.5"));
		say(card, `${before} before, ${between} after the failure, ${await left()} after the retry.`);
	},
	async rollback(card) {
		expect(await send("GET", BALANCE));
		const before = (await must(card, "GET", BALANCE)).json.balance;
		expect(await call(card, "PUT", `${BALANCE}?rollback=true`, { delta: "1000" }), 409);
		const after = (await must(card, "GET", BALANCE)).json.balance;
		say(card, `Balance ${before} before and ${after} after: ${before === after ? "nothing of the 1000 is left" : "another call has changed it"}.`);
	},
	async write(card) {
		await must(card, "PUT", BALANCE, { delta: "1.5" });
		const read = await must(card, "GET", BALANCE);
		say(card, `Balance ${read.json.balance}, version ${read.json.version}, ${read.headers.get("X-Cache") === "hit" ? "from the cache" : "from the database"}.`);
	},
	async revoke(card) {
		const token = bearer(await login(card));
		await must(card, "GET", "api/me", undefined, token);
		await must(card, "POST", "api/auth/logout", undefined, token);
		expect(await call(card, "GET", "api/me", undefined, token), 401);
		say(card, "The same token: 200 before the logout, 401 after it.");
	},
	async refresh(card) {
		const { refreshToken } = (await login(card)).json;
		const first = await must(card, "POST", "api/auth/refresh", { refreshToken });
		const second = await must(card, "POST", "api/auth/refresh", { refreshToken });
		const same = first.json.refreshToken === second.json.refreshToken;
		say(card, same ? "Both calls got the same successor." : "The calls got no common successor.");
	},
	async sessions(card) {
		const login = ["POST", "api/sessions/login", { username: "anna", password: "demo" }, {}];
		await must(card, ...login);
		// Another browser has cookies of its own
		await must(card, ...login, "omit");
		const { json } = await must(card, "GET", "api/sessions/mine");
		say(card, `anna has ${json.length} sessions. This browser has one of them.`);
	},
	async everywhere(card) {
		const { status, json } = expect(await call(card, "POST", "api/sessions/logout-everywhere"), 200, 401);
		if (status === 401) {
			return say(card, "Nobody is logged in.");
		}
		expect(await call(card, "GET", "api/sessions/mine"), 401);
		say(card, `Ended ${json.ended} sessions. The next call got 401.`);
	},
	async poison(card) {
		const workItem = fresh("poison");
		await must(card, ...trigger(workItem, "coder", "poison"));
		await awaitLetter(card, workItem);
		$("[data-do=replay]", card).disabled = !letter;
	},
	async replay(card) {
		const { messageId, workItem } = letter;
		await must(card, "POST", `api/triggers/dead-letters/${encodeURIComponent(messageId)}/replay`);
		await awaitLetter(card, workItem);
	},
	async twice(card) {
		const workItem = fresh("item");
		await must(card, ...trigger(workItem, "planner"));
		const second = await must(card, ...trigger(workItem, "planner"));
		const done = await until((items) => completed(items, [workItem]), ...COMPLETED);
		const times = done && completed(done.json, [workItem]);
		say(card, `Duplicate: ${second.json.duplicate}. ${times ? `Handled ${times === 1 ? "once" : `${times} times`}.` : "It waits: are the agents halted?"}`);
	},
	job: (card) => run(card, "slow:800"),
	badJob: (card) => run(card, "poison"),
	async halt(card) {
		await must(card, "POST", "api/system/halt");
		if (!await until((status) => status.halted, "GET", "api/system/status")) {
			return say(card, "Not halted yet.");
		}
		const sent = Array.from({ length: 5 }, () => fresh("waiting"));
		for (const workItem of sent) {
			expect(await send(...trigger(workItem, "planner")));
			waiting.push(workItem);
		}
		const handled = completed(expect(await send(...COMPLETED)).json, sent);
		say(card, `Halted: ${sent.length - handled} of ${sent.length} triggers wait in the stream.`);
	},
	async resume(card) {
		await must(card, "POST", "api/system/resume");
		if (!await until((each) => !each.halted, "GET", "api/system/status")) {
			return say(card, "Not resumed yet.");
		}
		const sent = waiting;
		if (!sent.length) {
			return say(card, "Resumed. No trigger of this page waited.");
		}
		const done = await until((items) => completed(items, sent) === sent.length, ...COMPLETED);
		waiting = done ? [] : sent;
		say(card, done ? `Resumed: ${sent.length} of ${sent.length} triggers were handled.` : "Resumed: not all triggers were handled yet.");
	},
	async append(card) {
		const session = `api/sessions/page-${visit}`;
		await Promise.all(["anna", "boris"].map((who) => must(card, "POST", `${session}/history`, { agent: who, text: `found it, ${fresh("note")}` })));
		const { json } = await must(card, "GET", session);
		say(card, `${json.history.length} entries by ${json.members.join(" and ")}.`);
	},
	async stale(card) {
		const field = `api/sessions/page-${visit}/fields/plan`;
		const { json } = await must(card, "PUT", field, { goal: "search" });
		const match = { "If-Match": `"${json.version}"` };
		expect(await call(card, "PUT", field, { goal: "buy" }, match));
		expect(await call(card, "PUT", field, { goal: "sell" }, match), 412);
		say(card, `Version ${json.version} was replaced once; the second write based on it got 412.`);
	},
	async complete(card) {
		for (const who of ["alpha", "beta", "alpha"]) {
			expect(await send("POST", `api/agents/${who}/completions`));
		}
		const board = await must(card, "GET", "api/leaderboard?top=3");
		say(card, board.json.map((each) => `${each.rank}. ${each.agent} (${each.completed})`).join("  "));
	},
	async state(card) {
		await must(card, "PUT", "api/agents/alpha/state", { status: "working", currentTask: fresh("w"), steps: serial });
		const { json } = await must(card, "GET", "api/agents/alpha/state?fields=status,currentTask");
		say(card, `alpha is ${json.status} on ${json.currentTask}.`);
	},
	async visit(card) {
		const visitor = fresh("visitor");
		await must(card, "POST", "api/visits", { visitor });
		await must(card, "POST", "api/visits", { visitor });
		const { json } = await must(card, "GET", "api/visits?days=7");
		say(card, `${json.unique} different visitors in seven days.`);
	},
	async mail(card) {
		const address = `${fresh("mail")}@desk.example`;
		const first = await must(card, "POST", "api/mails", { address });
		const second = await must(card, "POST", "api/mails", { address });
		say(card, `Sent: ${first.json.sent}, then ${second.json.sent}.`);
	},
	async near(card) {
		expect(await send("PUT", "api/desks/berlin", { longitude: 13.405, latitude: 52.52 }));
		expect(await send("PUT", "api/desks/paris", { longitude: 2.3522, latitude: 48.8566 }));
		const { json } = await must(card, "GET", "api/desks?longitude=11.58&latitude=48.14&radiusKm=1000");
		say(card, json.map((each) => `${each.name} ${Math.round(each.km)} km`).join(", ") || "No desk is near.");
	},
	hang,
};

// ---- The outage ----

/** What each pattern promises without Redis, and a call that shows it. */
function probes(token) {
	const outage = fresh("outage");
	// Without the cookie of a session, which would be loaded first and needs Redis
	const bare = (method, path, body, headers = {}) => send(method, path, body, headers, "omit");
	return [
		["Rate limit", "Each instance counts", () => bare("POST", `api/agents/${outage}/tasks`, { workItemId: "w", payload: null })],
		["Lock", "Refused", () => bare("POST", `api/agents/${outage}/run?millis=0`)],
		["Idempotency", "Refused", () => bare("POST", "api/positions/p-5/sell", { quantity: "0.0001" }, { "Idempotency-Key": fresh("outage") })],
		["Cache, read", "Database", () => bare("GET", BALANCE)],
		["Cache, write", "Database", () => bare("PUT", "api/wallets/w-2/balances/SOL", { delta: "0.01" })],
		["Blacklist", "Memory for 2 s, then refused", () => bare("GET", "api/me", undefined, token)],
		["Stream", "Refused", () => bare(...trigger(fresh("outage"), "reviewer"))],
		["Job queue", "Refused", () => bare("POST", "api/jobs", { type: "report", payload: null })],
		["Leaderboard", "Refused", () => bare("GET", "api/leaderboard?top=3")],
	];
}

async function hang(panel) {
	const token = bearer(expect(await send("POST", "api/auth/login", { username: "boris", password: "demo" })));
	const rows = probes(token).map(([name, promise, probe]) => {
		const row = { probe, cells: ["before", "hang", "after"].map(() => make("td", { class: "cells" })), slowest: make("td", { class: "millis" }), most: 0 };
		row.element = make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, promise), ...row.cells, row.slowest);
		return row;
	});
	$("tbody", panel).replaceChildren(...rows.map((row) => row.element));
	$(".probes", panel).classList.add("open");
	let unanswered = 0;
	const round = (phase) => lanes(4, rows.map((row) => async () => {
		const answer = await row.probe();
		unanswered += (answer.status === 0) ? 1 : 0;
		// The times before and after are not about the outage
		if (phase === 1) {
			row.most = Math.max(row.most, answer.served);
			row.slowest.textContent = `${row.most} ms`;
		}
		row.cells[phase].append(make("span", { class: "probe" },
			make("span", { class: `status ${kind(answer.status)}` }, String(answer.status || "—")), make("span", { class: "took" }, `${answer.served} ms`)));
	}));
	say(panel, "One round of calls before…");
	await round(0);
	const hung = expect(await send("POST", "api/live/redis/hang"));
	const end = performance.now() + hung.json.millis;
	while (performance.now() < end) {
		say(panel, `Redis hangs for another ${Math.ceil((end - performance.now()) / 1000)} s.`);
		await Promise.all([round(1), sleep(1000)]);
	}
	say(panel, "Redis answers again…");
	for (let tries = 0; tries < 2; tries++) {
		await sleep(1000);
		await round(2);
	}
	say(panel, unanswered ? `The application left ${unanswered} calls without an answer.` : `Redis hung for five seconds. Meanwhile, the slowest call took ${Math.max(...rows.map((row) => row.most))} ms in the server.`);
}

// ---- The figures ----

const SAMPLES = 60;
const CHARTS = [
	{ title: "Rate limit", unit: "/s", series: [["admitted", "good", "admitted"], ["refused", "warn", "refused"]] },
	{ title: "Locks", unit: "/s", series: [["granted", "good", "locked"], ["refused", "warn", "notLocked"]] },
	{ title: "Cache", unit: "/s", series: [["hits", "good", "hits"], ["misses", "warn", "misses"]] },
	{ title: "Stream", unit: "", level: true, series: [["lag", "info", "lag"], ["pending", "warn", "pending"]] },
	{ title: "Script calls", unit: "/s", series: [["answered", "info", "answered"], ["failed", "bad", "failedScripts"]] },
];

/** Whether Redis hung or was unavailable, at each sample. */
const hung = Array(SAMPLES).fill(false);

/** Marks the last hang, and what is before and after it. */
function mark(phases) {
	const to = hung.lastIndexOf(true) + 1;
	const from = hung.lastIndexOf(false, to - 1) + 1;
	phases.hidden = !to;
	const [, hang, after] = phases.children;
	phases.style.left = `${(from + to) * 50 / SAMPLES}%`;
	hang.style.minWidth = `${(to - from) * 100 / SAMPLES}cqw`;
	after.style.visibility = (to === SAMPLES) ? "hidden" : "";
}

function chart(definition) {
	const bars = make("g");
	const phases = make("div", { class: "phases", "aria-hidden": "true", hidden: "" }, make("span", {}, "before"), make("span", { class: "hang" }, "hang"), make("span", {}, "after"));
	const numbers = definition.series.map(() => make("b", {}, "0"));
	const svg = make("svg", { viewBox: `0 0 ${SAMPLES} 40`, preserveAspectRatio: "none", role: "img", "aria-label": definition.title }, bars);
	const labels = definition.series.map(([label, colour], index) => make("span", { class: `key ${colour}` }, numbers[index], ` ${label}`));
	const peak = make("span", { class: "peak" });
	$(".charts").append(make("figure", {}, make("figcaption", {}, definition.title, peak), make("div", { class: "plot" }, svg, phases), make("div", { class: "keys" }, ...labels)));
	const samples = Array.from({ length: SAMPLES }, () => definition.series.map(() => 0));
	return (values) => {
		samples.shift();
		samples.push(values);
		const highest = Math.max(...samples.map((each) => each.reduce((sum, value) => sum + value, 0)));
		const most = Math.max(4, highest);
		const rects = definition.series.map((each, at) => samples.map((sample, x) => {
			const [y, height] = [sample.slice(0, at).reduce((sum, value) => sum + value, 0), sample[at]].map((value) => value * 38 / most);
			return height ? `M${x + 0.15} ${40 - y}v${-height}h.7v${height}z` : "";
		}).join(""));
		const band = hung.map((each, x) => each ? `M${x} 0v40h1v-40z` : "").join("");
		mark(phases);
		bars.replaceChildren(make("path", { class: "hang", d: band }), ...rects.map((d, at) => make("path", { class: definition.series[at][1], d })));
		if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
			bars.animate([{ transform: "translateX(1px)" }, { transform: "none" }], 900);
		}
		values.forEach((value, at) => { numbers[at].textContent = `${value}${definition.unit}`; });
		peak.textContent = `peak ${highest}${definition.unit}`;
		svg.setAttribute("aria-label", `${definition.title}: ${values.map((value, at) => `${value} ${definition.series[at][0]}`).join(", ")}`);
	};
}

const draw = CHARTS.map(chart);
let last = null;
let lastAt = 0;
let lost = false;

/** Dims figures that are older than a moment, and says their age: nothing is known of Redis then. */
function age() {
	const seconds = Math.round((performance.now() - lastAt) / 1000);
	const stale = lost || (lastAt && seconds > 3);
	$(".charts").classList.toggle("stale", Boolean(stale));
	if (stale) {
		pill("feed", lastAt ? `No figures for ${seconds} s` : "No figures", "bad");
		pill("redis", "Redis unknown", "");
	}
}

function figures(now) {
	now.answered = now.scripts - now.failedScripts;
	if (last) {
		hung.shift();
		hung.push(now.outage || now.hangMillis > 0);
		CHARTS.forEach((definition, index) => draw[index](definition.series.map(([, , field]) =>
			definition.level ? now[field] : Math.max(0, now[field] - last[field]))));
	}
	last = now;
	lastAt = performance.now();
	lost = false;
	age();
	pill("feed", "Live", "good");
	pill("redis", now.outage ? "Redis outage" : now.hangMillis ? "Redis hangs" : "Redis up", now.outage || now.hangMillis ? "bad" : "good");
	$("#outage").hidden = !now.hangOffered;
	$("#instances").hidden = false;
	// The page knows only how to connect to an embedded Redis
	$("#instances").disabled = now.redisPort === 0;
	$("#instances").replaceChildren(make("span", {}, make("i", {}, "Instance "), `${now.instance} of ${now.instances}`));
	const command = `mvn -pl sample-app -am spring-boot:run -Dspring-boot.run.arguments="--server.port=${Number(location.port || 80) + now.instances} --spring.data.redis.port=${now.redisPort}"`;
	if ($("#another pre").textContent !== command) {
		$("#another pre").textContent = command;
	}
}

function pill(id, text, colour) {
	const element = document.getElementById(id);
	if (element.textContent !== text) {
		element.textContent = text;
		element.className = `pill ${colour}`;
	}
}

let source = null;

function listen() {
	source?.close();
	source = new EventSource("api/live/events");
	source.onmessage = (event) => figures(JSON.parse(event.data));
	source.onerror = () => {
		lost = true;
		age();
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(listen, 5000);
		}
	};
}

setInterval(age, 1000);

// A page that nobody sees does not listen
document.addEventListener("visibilitychange", () => {
	source?.close();
	if (!document.hidden) {
		listen();
	}
});
addEventListener("pagehide", () => source?.close());

// ---- The page ----

document.querySelectorAll(".card").forEach((card) => card.append(
	make("p", { class: "result none", role: "status" }, "No calls yet"), make("div", { class: "strip", "aria-hidden": "true" }),
	make("ol", { class: "log", "aria-label": `Answers: ${$("h2", card).firstChild.textContent.trim()}` })));

document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", async () => {
	const card = button.closest(".card, .panel");
	if (card.getAttribute("aria-busy") === "true") {
		return;
	}
	card.setAttribute("aria-busy", "true");
	try {
		say(card, "");
		await actions[button.dataset.do](card);
	}
	catch (failure) {
		if (!(failure instanceof Refused)) {
			throw failure;
		}
		say(card, failure.message);
	}
	finally {
		card.removeAttribute("aria-busy");
	}
}));

const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const named = () => $("#theme").setAttribute("aria-label", `Switch to ${dark() ? "light" : "dark"} colours`);
$("#theme").addEventListener("click", () => {
	document.documentElement.dataset.theme = dark() ? "light" : "dark";
	localStorage.setItem("theme", document.documentElement.dataset.theme);
	named();
});
if (localStorage.getItem("theme")) {
	document.documentElement.dataset.theme = localStorage.getItem("theme");
}
named();
listen();
