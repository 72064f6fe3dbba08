// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.web.IdempotentExchangeContract.ConflictException;
import io.ge.redis.web.IdempotentExchangeContract.EnvelopeException;
import io.ge.redis.web.IdempotentExchangeContract.GoneException;
import io.ge.redis.web.IdempotentExchangeContract.Sale;
import io.ge.redis.web.IdempotentExchangeContract.UnavailableException;
import io.ge.redis.web.IdempotentExchangeContract.Unwritable;
import io.ge.redis.web.IdempotentExchangeContract.WriteOnly;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/**
 * What handlers do, whenever they do it.
 */
class LaterWork {

	final AtomicInteger effects = new AtomicInteger();

	final AtomicInteger innerEffects = new AtomicInteger();

	private final JdbcTemplate jdbc;

	volatile CountDownLatch entered = new CountDownLatch(1);

	volatile CountDownLatch leave = new CountDownLatch(1);

	volatile CountDownLatch cancelled = new CountDownLatch(1);

	LaterWork(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
		jdbc.execute("create table if not exists sale (id int)");
	}

	void reset() {
		this.effects.set(0);
		this.innerEffects.set(0);
		this.jdbc.execute("truncate table sale");
		this.entered = new CountDownLatch(1);
		this.leave = new CountDownLatch(1);
		this.cancelled = new CountDownLatch(1);
	}

	int rows() {
		Integer rows = this.jdbc.queryForObject("select count(*) from sale", Integer.class);
		return (rows != null) ? rows : -1;
	}

	int effect() {
		return this.effects.incrementAndGet();
	}

	int row() {
		int number = effect();
		this.jdbc.update("insert into sale (id) values (?)", number);
		return number;
	}

	Sale sale() {
		return ExchangedSales.sale(effect());
	}

	ResponseEntity<Sale> created() {
		return ExchangedSales.created(effect());
	}

	ResponseEntity<Void> nothing() {
		effect();
		return ResponseEntity.noContent().build();
	}

	ResponseEntity<byte[]> bytes() {
		return ExchangedSales.bytes(effect());
	}

	ResponseEntity<byte[]> zipped() throws IOException {
		return ExchangedSales.zipped(effect());
	}

	ResponseEntity<Resource> file() {
		return ExchangedSales.file(effect());
	}

	HttpEntity<String> entity() {
		return ExchangedSales.entity(effect());
	}

	@Nullable Void written(HttpServletResponse response) throws IOException {
		response.setStatus(201);
		response.setContentType("application/octet-stream");
		response.getOutputStream().write(new byte[] { 0, (byte) 0xff, (byte) effect() });
		response.flushBuffer();
		return null;
	}

	@Nullable Void largeWritten(HttpServletResponse response) throws IOException {
		effect();
		byte[] bytes = "x".repeat(30_000).getBytes(StandardCharsets.US_ASCII);
		for (int i = 0; i < 10; i++) {
			response.getOutputStream().write(bytes);
		}
		return null;
	}

	String text() {
		return "text \u00e4 " + effect();
	}

	Object object() {
		return Map.of("id", effect());
	}

	WriteOnly unreadable() {
		return new WriteOnly("te", "xt " + effect());
	}

	Unwritable unwritable() {
		effect();
		return new Unwritable();
	}

	ResponseEntity<String> large() {
		effect();
		return ResponseEntity.status(201).body("x".repeat(300_000));
	}

	ResponseEntity<String> returnedConflict() {
		effect();
		return ResponseEntity.status(409).body("later");
	}

	@Nullable Void accepted() {
		effect();
		return null;
	}

	private <T> T fail(Supplier<? extends RuntimeException> failure) {
		effect();
		throw failure.get();
	}

	<T> T exception() {
		return fail(() -> new IllegalArgumentException("no such thing"));
	}

	Sale notFound() {
		return fail(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such sale"));
	}

	Void gone() {
		return fail(GoneException::new);
	}

	Void reason() {
		return fail(() -> new ResponseStatusException(HttpStatus.LOCKED, "Locked"));
	}

	String listed() {
		return fail(() -> new ConflictException("not enough left"));
	}

	String unavailable() {
		return fail(UnavailableException::new);
	}

	String envelope() {
		return fail(EnvelopeException::new);
	}

	String failure() {
		return fail(() -> new IllegalStateException("failed"));
	}

	String order() {
		return "order " + effect();
	}

	String form(String a) {
		return a + " " + effect();
	}

	String upload(MultipartFile file) {
		return file.getSize() + " " + effect();
	}

	String inner() {
		return "inner " + this.innerEffects.incrementAndGet();
	}

	String redirect() {
		return "redirect:/sales/" + effect();
	}

	String forward() {
		effect();
		return "forward:/plain";
	}

	String read(HttpServletRequest request) throws IOException {
		return new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + " " + effect();
	}

	void pause() {
		this.entered.countDown();
		try {
			this.leave.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	ResponseEntity<Sale> slow() {
		pause();
		return created();
	}

	String slowLarge() {
		pause();
		effect();
		return "x".repeat(200_000);
	}

	String late() {
		int number = effect();
		pause();
		return "late " + number;
	}

	String delayed(int millis) throws InterruptedException {
		int number = effect();
		this.leave.await(millis, TimeUnit.MILLISECONDS);
		return "delayed " + number;
	}

	String surroundings() {
		ServletRequestAttributes request = (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
		var user = SecurityContextHolder.getContext().getAuthentication();
		return String.join(" ", request.getRequest().getRequestURI(), LocaleContextHolder.getLocale().toString(),
				(user != null) ? user.getName() : "nobody", IdempotentExchangeLaterContract.Watched.BOUND.get(),
				String.valueOf(TransactionSynchronizationManager.isActualTransactionActive()),
				String.valueOf(IdempotencyContext.current().fence() > 0));
	}

	String limited() {
		ServletRequestAttributes request = (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
		return String.join(" ", request.getRequest().getRequestURI(), LocaleContextHolder.getLocale().toString(),
				String.valueOf(effect()));
	}

	ModelAndView page() {
		return new ModelAndView(view());
	}

	View view() {
		int number = effect();
		return (model, request, response) -> {
			response.setContentType("text/html");
			response.getWriter().print("<p>" + number + "</p>");
		};
	}

}
