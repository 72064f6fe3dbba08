// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.lock.OnLost;
import io.ge.redis.lock.OnNotAcquired;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on locks.
 */
class LockExamples {

	private final DistributedLocks locks;

	private final JdbcTemplate jdbc;

	private final Renderer renderer = new Renderer();

	private final Executor executor = new SimpleAsyncTaskExecutor("import-");

	LockExamples(DistributedLocks locks, JdbcTemplate jdbc) {
		this.locks = locks;
		this.jdbc = jdbc;
	}

	// @formatter:off
	@DistributedLock(name = "stock", key = "#item", waitTime = "2s")
	@Transactional
	public void take(String item, int pieces) {
		this.jdbc.update("update stock set pieces = pieces - ? where item = ?", pieces, item);
	}

	@DistributedLock(name = "transfer", keys = "{#from, #to}", waitTime = "2s")
	@Transactional
	public void transfer(String from, String to, BigDecimal amount) {
		this.jdbc.update("update account set amount = amount - ? where id = ?", amount, from);
		this.jdbc.update("update account set amount = amount + ? where id = ?", amount, to);
	}

	@DistributedLock(name = "price", key = "#item")
	public void setPrice(String item, BigDecimal price, @FencingToken long token) {
		int updated = this.jdbc.update("update item set price = ?, fence = ? where id = ? and fence <= ?",
				price, token, item, token);
		if (updated == 0) {
			throw new OptimisticLockingFailureException("A later holder has written " + item);
		}
	}

	@DistributedLock(name = "catalogue", key = "#shop", mode = LockMode.READ, waitTime = "2s")
	public int pieces(String shop) {
		return this.jdbc.queryForObject("select sum(pieces) from catalogue where shop = ?", Integer.class, shop);
	}

	@DistributedLock(name = "catalogue", key = "#shop", mode = LockMode.WRITE, waitTime = "2s")
	@Transactional
	public void replace(String shop, String item, int pieces) {
		this.jdbc.update("delete from catalogue where shop = ?", shop);
		this.jdbc.update("insert into catalogue values (?, ?, ?)", shop, item, pieces);
	}

	@DistributedLock(name = "renderer", key = "#format", permits = 3, waitTime = "10s")
	public void render(String format, String file) {
		this.renderer.render(file);
	}

	@Scheduled(cron = "0 0 3 * * *")
	@DistributedLock(name = "nightly-report", onNotAcquired = OnNotAcquired.SKIP, atLeastFor = "1m", maxHold = "2h")
	public void report() {
		LockAssert.assertHeld("nightly-report");
		this.jdbc.update("insert into report select current_date, sum(pieces) from stock");
	}

	@DistributedLock(name = "import", onLost = OnLost.INTERRUPT)
	public void importAll(List<String> files) throws InterruptedException {
		for (String file : files) {
			LockContext.current().assertHeld();
			importOne(file);
		}
	}

	@DistributedLock(name = "shop-import", key = "#shop")
	public void importShop(String shop, List<Runnable> parts) {
		LockContext.Carrier locks = LockContext.capture();
		CompletableFuture.allOf(parts.stream()
			.map((part) -> CompletableFuture.runAsync(locks.wrap(part), this.executor))
			.toArray(CompletableFuture[]::new)).join();
	}

	public boolean takeInTime(String item) {
		try (LockHandle lock = this.locks.lock("stock", item, LockOptions.defaults())) {
			return lock.isValid();
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	public int piecesInCode(String shop) {
		LockOptions reading = LockOptions.defaults().mode(LockMode.READ);
		return this.locks.execute("catalogue", shop, reading, (lock) -> pieces(shop));
	}

	public long sumUnderLock(List<String> accounts) {
		try (MultiLockHandle lock = this.locks.lockAll("transfer", accounts, LockOptions.defaults())) {
			return lock.token(accounts.get(0));
		}
	}
	// @formatter:on

	public int reportsMade() {
		return this.jdbc.queryForObject("select count(*) from report", Integer.class);
	}

	private void importOne(String file) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException(file);
		}
	}

	private static final class Renderer {

		void render(String file) {
		}

	}

}
