insert into positions (id, quantity) values
	('p-1', 100), ('p-2', 100), ('p-3', 100), ('p-4', 100), ('p-5', 100)
	on conflict do nothing;

insert into valuations (position_id, price, fence) values
	('p-1', 1, 0), ('p-2', 1, 0), ('p-3', 1, 0), ('p-4', 1, 0), ('p-5', 1, 0)
	on conflict do nothing;

insert into balances (wallet, token, amount, version) values
	('w-1', 'SOL', 100, 0), ('w-1', 'USDC', 100, 0), ('w-2', 'SOL', 100, 0), ('w-2', 'USDC', 100, 0)
	on conflict do nothing;
