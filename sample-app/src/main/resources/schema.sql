-- Runs on H2 in PostgreSQL mode and on PostgreSQL, at each start.

create table if not exists positions (
	id varchar(40) primary key,
	quantity numeric(38, 10) not null check (quantity >= 0)
);

create table if not exists sales (
	id uuid primary key,
	position_id varchar(40) not null references positions (id),
	quantity numeric(38, 10) not null check (quantity > 0)
);

-- A writer whose fencing token is below the one that has written last is refused.
create table if not exists valuations (
	position_id varchar(40) primary key references positions (id),
	price numeric(38, 10) not null,
	fence bigint not null
);

-- Rounds changes of more than eight digits after the point.
create table if not exists balances (
	wallet varchar(40) not null,
	token varchar(40) not null,
	amount numeric(38, 8) not null,
	version bigint not null,
	primary key (wallet, token)
);

-- One row when a run of an agent begins, one when it ends: runs that never overlap
-- alternate by id. A fencing token begins one run only.
create table if not exists run_steps (
	id bigint generated always as identity primary key,
	agent varchar not null,
	fencing_token bigint not null,
	step varchar(5) not null,
	unique (agent, fencing_token, step)
);

-- What agents have done. A trigger may be worked on twice, and is done once.
create table if not exists completed_work (
	agent varchar(40) not null,
	work_item varchar(200) not null,
	attempts int not null,
	instance varchar(200) not null,
	completed_at timestamp with time zone not null,
	primary key (agent, work_item)
);
