// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.web.IdempotentExchangeContract.ConflictException;
import io.ge.redis.web.IdempotentExchangeContract.Order;
import io.ge.redis.web.IdempotentExchangeContract.Retried;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.multipart.MultipartFile;

/**
 * The handlers that every form of result has, with their paths and guards: what a form
 * adds are their types, since these are what Spring and the guard go by. Handlers that
 * only one form has carry their annotations themselves.
 */
@Controller
@ResponseBody
@RequestMapping(method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.HEAD })
abstract class LaterDesk {

	final LaterWork work;

	LaterDesk(LaterWork work) {
		this.work = work;
	}

	@RequestMapping("/value")
	@Idempotent
	public abstract Object value();

	@RequestMapping("/created")
	@Idempotent
	public abstract Object created();

	@RequestMapping("/nothing")
	@Idempotent
	public abstract Object nothing();

	@RequestMapping("/accepted")
	@ResponseStatus(HttpStatus.ACCEPTED)
	@Idempotent
	public abstract Object accepted();

	@RequestMapping("/text")
	@Idempotent
	public abstract Object text();

	@RequestMapping("/written")
	@Idempotent
	public abstract Object written(HttpServletResponse response);

	@RequestMapping("/bytes")
	@Idempotent
	public abstract Object bytes();

	@RequestMapping("/zipped")
	@Idempotent
	public abstract Object zipped();

	@RequestMapping("/file")
	@Idempotent
	public abstract Object file();

	@RequestMapping("/entity")
	@Idempotent
	public abstract Object entity();

	@RequestMapping("/object")
	@Idempotent
	public abstract Object object();

	@RequestMapping("/unreadable")
	@Idempotent
	public abstract Object unreadable();

	@RequestMapping("/exception")
	@Idempotent
	public abstract Object exception();

	@RequestMapping("/not-found")
	@Idempotent
	public abstract Object notFound();

	@RequestMapping("/gone")
	@Idempotent
	public abstract Object gone();

	// For the result of a handler with @ResponseStatus(reason = ...) Spring does not
	// wait
	@RequestMapping("/reason")
	@Idempotent
	public abstract Object reason();

	@RequestMapping("/listed")
	@Idempotent(storeExceptions = ConflictException.class)
	public abstract Object listed();

	@RequestMapping("/returned-conflict")
	@Idempotent
	public abstract Object returnedConflict();

	@RequestMapping("/unavailable")
	@Idempotent
	public abstract Object unavailable();

	@RequestMapping("/envelope")
	@Idempotent
	public abstract Object envelope();

	@RequestMapping("/failure")
	@Idempotent
	public abstract Object failure();

	@RequestMapping("/unwritable")
	@Idempotent
	public abstract Object unwritable();

	@RequestMapping("/slow")
	@Idempotent
	public abstract Object slow();

	@RequestMapping("/slow-large")
	@Idempotent
	public abstract Object slowLarge();

	@RequestMapping("/late")
	@Idempotent
	public abstract Object late();

	@RequestMapping("/delayed")
	@Idempotent
	public abstract Object delayed(@RequestParam int millis);

	@RequestMapping("/short-lease")
	@Idempotent(lease = "1s")
	public abstract Object shortLease();

	@RequestMapping("/waits")
	@Idempotent(onDuplicate = OnDuplicate.WAIT)
	public abstract Object waits();

	@RequestMapping("/large")
	@Idempotent
	public abstract Object large();

	@RequestMapping("/large-written")
	@Idempotent
	public abstract Object largeWritten(HttpServletResponse response);

	@RequestMapping("/orders/{id}")
	@Idempotent
	public abstract Object orders(@PathVariable int id, @RequestBody Order order);

	@RequestMapping("/reads")
	@Idempotent
	public abstract Object reads(HttpServletRequest request);

	@RequestMapping("/form")
	@Idempotent
	public abstract Object form(@RequestParam String a);

	@RequestMapping("/upload")
	@Idempotent
	public abstract Object upload(@RequestParam MultipartFile file);

	@RequestMapping("/thrown")
	@Idempotent
	public abstract Object thrown();

	@RequestMapping("/surroundings")
	@Idempotent
	public abstract Object surroundings();

	@RequestMapping("/limited")
	@RateLimited(name = "later", limit = 1000, window = "1m")
	@Idempotent
	public abstract Object limited();

	@RequestMapping("/outer")
	@Idempotent
	public abstract Object outer();

	@RequestMapping("/retried")
	@Retried
	@Idempotent(onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
	public abstract Object retried();

}
