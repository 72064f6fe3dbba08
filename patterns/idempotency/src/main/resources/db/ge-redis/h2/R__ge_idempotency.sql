-- The witness of idempotent calls, for H2. Can be run again.
-- expires_at: milliseconds since the epoch, by the clock of this database.

create table if not exists ge_idempotency (
	id varchar(64) not null primary key,
	operation varchar(255) not null,
	fence bigint not null,
	fingerprint varbinary(32) not null,
	result binary large object,
	expires_at bigint not null
);

create index if not exists ge_idempotency_expires_at on ge_idempotency (expires_at);
