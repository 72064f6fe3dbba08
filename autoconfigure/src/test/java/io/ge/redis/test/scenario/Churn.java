// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.ge.redis.test.instance.Operation;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Random reads and writes of cached rows on several threads of one instance: of eleven
 * operations six read, one reads in a transaction that has seen the database before, one
 * writes, one writes and is rolled back, one writes three rows in one transaction, of
 * which every second time one is rolled back to its savepoint, and one writes three rows
 * whose ids end alike.
 * <p>
 * Arguments are the prefix of the rows, their number, threads, operations of all of them
 * and the seed; the result is how many operations were done and how many of them have
 * failed.
 */
public final class Churn implements Operation {

	private static final int ROWS_AT_ONCE = 3;

	/** How many rows further the id ends alike. */
	private static final int ALIKE = 10;

	private final Consumer<String> read;

	private final Consumer<String> write;

	private final Consumer<List<String>> writeAlike;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final TransactionTemplate snapshot;

	private final TransactionTemplate savepoint;

	/**
	 * Creates the operation.
	 * @param read reads a row, by its id, through the cache
	 * @param write changes a row and what is cached of it, in the current transaction or
	 * in one of its own
	 * @param writeAlike changes rows whose ids end alike, and what is cached of them, in
	 * one transaction and in their order
	 * @param jdbc the database
	 * @param transactions its transactions
	 */
	public Churn(Consumer<String> read, Consumer<String> write, Consumer<List<String>> writeAlike, JdbcTemplate jdbc,
			PlatformTransactionManager transactions) {
		this.read = read;
		this.write = write;
		this.writeAlike = writeAlike;
		this.jdbc = jdbc;
		this.transaction = new TransactionTemplate(transactions);
		this.snapshot = new TransactionTemplate(transactions);
		this.snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		this.savepoint = new TransactionTemplate(transactions);
		this.savepoint.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
	}

	@Override
	public String run(String... arguments) throws Exception {
		String prefix = arguments[0];
		int number = Integer.parseInt(arguments[1]);
		long operations = Long.parseLong(arguments[3]);
		long seed = Long.parseLong(arguments[4]);
		AtomicLong begun = new AtomicLong();
		AtomicLong failed = new AtomicLong();
		Load.together(Integer.parseInt(arguments[2]), (thread) -> {
			for (long step = begun.getAndIncrement(); step < operations; step = begun.getAndIncrement()) {
				try {
					step(prefix, number, Load.random(seed, step));
				}
				catch (RuntimeException ex) {
					failed.incrementAndGet();
				}
			}
		});
		return operations + " " + failed;
	}

	private void step(String prefix, int number, Random random) {
		String id = prefix + random.nextInt(number);
		switch (random.nextInt(11)) {
			case 0 -> this.snapshot.executeWithoutResult((status) -> {
				Snapshot.take(this.jdbc);
				this.read.accept(id);
			});
			case 1 -> this.write.accept(id);
			case 2 -> this.transaction.executeWithoutResult((status) -> {
				this.write.accept(id);
				status.setRollbackOnly();
			});
			case 3 -> writeSeveral(prefix, number, random);
			case 4 -> writeAlike(prefix, number, random);
			default -> this.read.accept(id);
		}
	}

	private void writeAlike(String prefix, int number, Random random) {
		int first = random.nextInt(number - (ROWS_AT_ONCE - 1) * ALIKE);
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < ROWS_AT_ONCE; i++) {
			ids.add(prefix + (first + i * ALIKE));
		}
		this.writeAlike.accept(ids);
	}

	private void writeSeveral(String prefix, int number, Random random) {
		// In this order everywhere, else they wait for each other
		int first = random.nextInt(number - ROWS_AT_ONCE);
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < ROWS_AT_ONCE; i++) {
			ids.add(prefix + (first + i));
		}
		boolean rollsBack = random.nextBoolean();
		this.transaction.executeWithoutResult((status) -> {
			this.write.accept(ids.get(0));
			this.savepoint.executeWithoutResult((nested) -> {
				this.write.accept(ids.get(1));
				if (rollsBack) {
					nested.setRollbackOnly();
				}
			});
			this.write.accept(ids.get(2));
		});
	}

}
