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
	answer.json = /json/.test(answer.headers.get("Content-Type")) ? JSON.parse(answer.text) : {};
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
			make("span", { class: "millis" }, `${answer.millis} ms`),
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

const say = (card, text) => { $(".result", card).textContent = text; };

/** Asks until the answer is as wanted, at most 15 seconds. */
async function until(wanted, ...request) {
	for (let tries = 0; tries < 75; tries++) {
		const answer = await send(...request);
		if (answer.status < 400 && wanted(answer.json)) {
			return answer;
		}
		await sleep(200);
	}
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
		squares[index].title = `${answer.status}, ${answer.millis} ms`;
		if (!seen.has(answer.status)) {
			seen.add(answer.status);
			show(card, answer);
		}
		return answer;
	}));
}

const among = (answers, status) => answers.filter((answer) => answer.status === status);

// ---- The cards ----

let agent = `agent-${visit}`;
let letter = null;

async function burst(card) {
	const answers = await strip(card, 5, Array.from({ length: 30 }, (none, index) => () =>
		send("POST", `api/agents/${agent}/tasks`, { workItemId: `w-${index}`, payload: null })));
	const refused = among(answers, 429);
	const wait = refused.length ? ` Retry in ${refused[0].headers.get("Retry-After")} s.` : "";
	say(card, `${among(answers, 202).length} admitted, ${refused.length} refused.${wait}`);
}

const login = (card) => call(card, "POST", "api/auth/login", { username: "anna", password: "demo" });
const bearer = (answer) => ({ Authorization: `Bearer ${answer.json.accessToken}` });
const sale = (card, key, quantity, query = "") =>
	call(card, "POST", `api/positions/p-3/sell${query}`, { quantity }, { "Idempotency-Key": key });
const left = async () => (await send("GET", "api/positions/p-3")).json.quantity;
const trigger = (workItem, who, reason) => ["POST", `api/triggers/core/${who}`,
	{ workItem, context: { project: "page" }, triggeredBy: "page", reason }];
const BALANCE = "api/wallets/w-1/balances/SOL";

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
	const queued = await call(card, "POST", "api/jobs", { type, payload: { pair: "SOL/USDC" }, priority: 5 });
	say(card, "Waiting for the result…");
	const ended = await until((job) => ["done", "failed"].includes(job.status), "GET", `api/jobs/${queued.json.id}`);
	if (!ended) {
		return say(card, "The job was not accepted, or has not ended yet.");
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
		say(card, `${among(answers, 401).length} passwords checked, ${among(answers, 429).length} guesses refused unchecked.`);
	},
	async race(card) {
		const path = `api/agents/agent-${visit}/run?millis=`;
		const first = call(card, "POST", `${path}1200`);
		await sleep(250);
		const second = await call(card, "POST", `${path}0`);
		const won = await first;
		const next = await call(card, "POST", `${path}0`);
		say(card, `While one ran, the other got ${second.status}. Tokens: ${won.json.fencingToken ?? "none"}, then ${next.json.fencingToken ?? "none"}.`);
	},
	async value(card) {
		const price = (10 + Math.random() * 5).toFixed(2);
		const written = await call(card, "PUT", "api/positions/p-1/valuation", { price });
		say(card, written.status === 200 ? `Price ${written.json.price}; the row keeps the token ${written.json.fence}.` : `Refused with ${written.status}.`);
	},
	async sell(card) {
		const key = fresh("sale");
		const before = await left();
		const first = await sale(card, key, "0.5");
		const second = await sale(card, key, "0.5");
		say(card, `${before} before, ${await left()} after. ${first.text && first.text === second.text ? "Both calls have the same answer." : "The answers differ."}`);
	},
	async sellOther(card) {
		const key = fresh("sale");
		await sale(card, key, "0.5");
		const second = await sale(card, key, "0.7");
		say(card, `Another amount with the same key: ${second.status}.`);
	},
	async sellFail(card) {
		const key = fresh("sale");
		const before = await left();
		await sale(card, key, "0.5", "?fail=after");
		const between = await left();
		await sale(card, key, "0.5");
		say(card, `${before} before, ${between} after the failure, ${await left()} after the retry.`);
	},
	async rollback(card) {
		await send("GET", BALANCE);
		const before = await call(card, "GET", BALANCE);
		await call(card, "PUT", `${BALANCE}?rollback=true`, { delta: "1000" });
		const after = await call(card, "GET", BALANCE);
		say(card, `Balance ${before.json.balance} before and ${after.json.balance} after: nothing of the 1000 is left.`);
	},
	async write(card) {
		await call(card, "PUT", BALANCE, { delta: "1.5" });
		const read = await call(card, "GET", BALANCE);
		say(card, `Balance ${read.json.balance}, version ${read.json.version}, ${read.headers.get("X-Cache") === "hit" ? "from the cache" : "from the database"}.`);
	},
	async revoke(card) {
		const token = bearer(await login(card));
		const before = await call(card, "GET", "api/me", undefined, token);
		await call(card, "POST", "api/auth/logout", undefined, token);
		const after = await call(card, "GET", "api/me", undefined, token);
		say(card, `The same token: ${before.status} before the logout, ${after.status} after it.`);
	},
	async refresh(card) {
		const { refreshToken } = (await login(card)).json;
		const first = await call(card, "POST", "api/auth/refresh", { refreshToken });
		const second = await call(card, "POST", "api/auth/refresh", { refreshToken });
		const same = first.json.refreshToken && first.json.refreshToken === second.json.refreshToken;
		say(card, same ? "Both calls got the same successor." : "The calls got no common successor.");
	},
	async sessions(card) {
		const login = ["POST", "api/sessions/login", { username: "anna", password: "demo" }, {}];
		await call(card, ...login);
		// Another browser has cookies of its own
		await call(card, ...login, "omit");
		const { json } = await call(card, "GET", "api/sessions/mine");
		say(card, `anna has ${json.length} sessions. This browser has one of them.`);
	},
	async everywhere(card) {
		const { status, json } = await call(card, "POST", "api/sessions/logout-everywhere");
		const after = await call(card, "GET", "api/sessions/mine");
		say(card, status === 200 ? `Ended ${json.ended} sessions. The next call got ${after.status}.` : "Nobody is logged in.");
	},
	async poison(card) {
		const workItem = fresh("poison");
		await call(card, ...trigger(workItem, "coder", "poison"));
		await awaitLetter(card, workItem);
		$("[data-do=replay]", card).disabled = !letter;
	},
	async replay(card) {
		const { messageId, workItem } = letter;
		const replayed = await call(card, "POST", `api/triggers/dead-letters/${encodeURIComponent(messageId)}/replay`);
		return replayed.status === 202 && awaitLetter(card, workItem);
	},
	async twice(card) {
		const workItem = fresh("item");
		await call(card, ...trigger(workItem, "planner"));
		const second = await call(card, ...trigger(workItem, "planner"));
		const done = await until((items) => items.some((each) => each.workItem === workItem), "GET", "api/work/completed?agent=planner");
		say(card, `Duplicate: ${second.json.duplicate}. ${done ? "Handled once." : "It waits: are the agents halted?"}`);
	},
	job: (card) => run(card, "slow:800"),
	badJob: (card) => run(card, "poison"),
	async halt(card) {
		await call(card, "POST", "api/system/halt");
		await until((status) => status.halted, "GET", "api/system/status");
		for (let index = 0; index < 5; index++) {
			await send(...trigger(fresh("waiting"), "planner"));
		}
		say(card, "Halted: five triggers wait in the stream.");
	},
	async resume(card) {
		await call(card, "POST", "api/system/resume");
		const status = await until((each) => !each.halted, "GET", "api/system/status");
		say(card, status ? "Resumed: nothing was lost." : "Not resumed yet.");
	},
	async append(card) {
		const session = `api/sessions/page-${visit}`;
		await Promise.all(["anna", "boris"].map((who) => call(card, "POST", `${session}/history`, { agent: who, text: `found it, ${fresh("note")}` })));
		const { json } = await call(card, "GET", session);
		say(card, `${json.history?.length ?? 0} entries by ${json.members?.join(" and ") || "nobody"}.`);
	},
	async stale(card) {
		const field = `api/sessions/page-${visit}/fields/plan`;
		const { json } = await call(card, "PUT", field, { goal: "search" });
		const match = { "If-Match": `"${json.version}"` };
		await call(card, "PUT", field, { goal: "buy" }, match);
		const late = await call(card, "PUT", field, { goal: "sell" }, match);
		say(card, `Version ${json.version} was replaced once; the second write based on it got ${late.status}.`);
	},
	async complete(card) {
		for (const who of ["alpha", "beta", "alpha"]) {
			await send("POST", `api/agents/${who}/completions`);
		}
		const board = await call(card, "GET", "api/leaderboard?top=3");
		say(card, Array.isArray(board.json) ? board.json.map((each) => `${each.rank}. ${each.agent} (${each.completed})`).join("  ") : `Refused with ${board.status}.`);
	},
	async state(card) {
		await call(card, "PUT", "api/agents/alpha/state", { status: "working", currentTask: fresh("w"), steps: serial });
		const { json } = await call(card, "GET", "api/agents/alpha/state?fields=status,currentTask");
		say(card, `alpha is ${json.status} on ${json.currentTask}.`);
	},
	async visit(card) {
		const visitor = fresh("visitor");
		await call(card, "POST", "api/visits", { visitor });
		await call(card, "POST", "api/visits", { visitor });
		const { json } = await call(card, "GET", "api/visits?days=7");
		say(card, `${json.unique} different visitors in seven days.`);
	},
	async mail(card) {
		const address = `${fresh("mail")}@desk.example`;
		const first = await call(card, "POST", "api/mails", { address });
		const second = await call(card, "POST", "api/mails", { address });
		say(card, `Sent: ${first.json.sent}, then ${second.json.sent}.`);
	},
	async near(card) {
		await send("PUT", "api/desks/berlin", { longitude: 13.405, latitude: 52.52 });
		await send("PUT", "api/desks/paris", { longitude: 2.3522, latitude: 48.8566 });
		const { json } = await call(card, "GET", "api/desks?longitude=11.58&latitude=48.14&radiusKm=1000");
		say(card, Array.isArray(json) ? json.map((each) => `${each.name} ${Math.round(each.km)} km`).join(", ") : "No desk.");
	},
	hang,
};

// ---- The outage ----

/** What each pattern promises without Redis, and a call that shows it. */
function probes(token) {
	const outage = fresh("outage");
	return [
		["Rate limit", "Each instance counts", () => send("POST", `api/agents/${outage}/tasks`, { workItemId: "w", payload: null })],
		["Lock", "Refused", () => send("POST", `api/agents/${outage}/run?millis=0`)],
		["Idempotency", "Refused", () => send("POST", "api/positions/p-5/sell", { quantity: "0.0001" }, { "Idempotency-Key": fresh("outage") })],
		["Cache, read", "Database", () => send("GET", BALANCE)],
		["Cache, write", "Database", () => send("PUT", "api/wallets/w-2/balances/SOL", { delta: "0.01" })],
		["Blacklist", "Memory for 2 s, then refused", () => send("GET", "api/me", undefined, token)],
		["Stream", "Refused", () => send(...trigger(fresh("outage"), "reviewer"))],
		["Job queue", "Refused", () => send("POST", "api/jobs", { type: "report", payload: null })],
		["Leaderboard", "Refused", () => send("GET", "api/leaderboard?top=3")],
	];
}

async function hang(panel) {
	const token = bearer(await send("POST", "api/auth/login", { username: "boris", password: "demo" }));
	const rows = probes(token).map(([name, promise, probe]) => {
		const row = { probe, cells: make("td", { class: "cells" }), slowest: make("td", { class: "millis" }), most: 0 };
		row.element = make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, promise), row.cells, row.slowest);
		return row;
	});
	$("tbody", panel).replaceChildren(...rows.map((row) => row.element));
	$(".probes", panel).classList.add("open");
	const round = () => lanes(4, rows.map((row) => async () => {
		const answer = await row.probe();
		row.most = Math.max(row.most, answer.millis);
		row.slowest.textContent = `${row.most} ms`;
		row.cells.append(make("span", { class: "probe" },
			make("span", { class: `status ${kind(answer.status)}` }, String(answer.status || "—")), make("span", { class: "took" }, `${answer.millis} ms`)));
	}));
	say(panel, "One round of calls before…");
	await round();
	const hung = await send("POST", "api/live/redis/hang");
	if (hung.status !== 202) {
		return say(panel, `Redis was not stopped: ${hung.json.detail ?? hung.status}`);
	}
	const end = performance.now() + hung.json.millis;
	while (performance.now() < end) {
		say(panel, `Redis hangs for another ${Math.ceil((end - performance.now()) / 1000)} s.`);
		await Promise.all([round(), sleep(1000)]);
	}
	say(panel, "Redis answers again…");
	for (let tries = 0; tries < 2; tries++) {
		await sleep(1000);
		await round();
	}
	say(panel, `Redis hung for five seconds. The slowest answer took ${Math.max(...rows.map((row) => row.most))} ms.`);
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

function chart(definition) {
	const bars = make("g");
	const numbers = definition.series.map(() => make("b", {}, "0"));
	const svg = make("svg", { viewBox: `0 0 ${SAMPLES} 40`, preserveAspectRatio: "none", role: "img", "aria-label": definition.title }, bars);
	const labels = definition.series.map(([label, colour], index) => make("span", { class: `key ${colour}` }, numbers[index], ` ${label}`));
	const peak = make("span", { class: "peak" });
	$(".charts").append(make("figure", {}, make("figcaption", {}, definition.title, peak), svg, make("div", { class: "keys" }, ...labels)));
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
		bars.replaceChildren(...rects.map((d, at) => make("path", { class: definition.series[at][1], d })));
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

function figures(now) {
	now.answered = now.scripts - now.failedScripts;
	if (last) {
		CHARTS.forEach((definition, index) => draw[index](definition.series.map(([, , field]) =>
			definition.level ? now[field] : Math.max(0, now[field] - last[field]))));
	}
	last = now;
	pill("redis", now.outage ? "Redis outage" : now.hangMillis ? "Redis hangs" : "Redis up", now.outage || now.hangMillis ? "bad" : "good");
	$("#outage").hidden = !now.hangOffered;
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
	source.onopen = () => pill("feed", "Live", "good");
	source.onmessage = (event) => figures(JSON.parse(event.data));
	source.onerror = () => {
		pill("feed", "No figures", "bad");
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(listen, 5000);
		}
	};
}

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
	make("p", { class: "result", role: "status" }), make("div", { class: "strip", "aria-hidden": "true" }),
	make("ol", { class: "log", "aria-label": `Answers: ${$("h2", card).firstChild.textContent.trim()}` })));

document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", async () => {
	const card = button.closest(".card, .panel");
	if (card.getAttribute("aria-busy") === "true") {
		return;
	}
	card.setAttribute("aria-busy", "true");
	try {
		await actions[button.dataset.do](card);
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
