// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

/**
 * The form in which a method gives its result, and so when its guard begins and ends.
 *
 * @param adapter of publishers that are none of Reactive Streams
 */
public record ResultForm(Kind kind, @Nullable ReactiveAdapter adapter) {

	/** The result is there when the method returns. */
	public static final ResultForm PLAIN = new ResultForm(Kind.PLAIN, null);

	/** The method returns a future. */
	public static final ResultForm FUTURE = new ResultForm(Kind.FUTURE, null);

	/** The method is suspended until its result is there. */
	public static final ResultForm SUSPENDING = new ResultForm(Kind.SINGLE, null);

	/** The method is suspended until its flow is there. */
	public static final ResultForm SUSPENDING_FLOW = new ResultForm(Kind.MULTIPLE, null);

	public static ResultForm of(ReactiveAdapter adapter) {
		return new ResultForm(adapter.isMultiValue() ? Kind.MULTIPLE : Kind.SINGLE, adapter);
	}

	/**
	 * Returns the form in which several values are collected: a list, complete with the
	 * last value, which is published as several again.
	 * @return the form; of one value at most this one
	 */
	public ResultForm collected() {
		return (this.kind == Kind.MULTIPLE) ? new ResultForm(Kind.SINGLE, Publishers.collecting(this)) : this;
	}

	public boolean isPlain() {
		return this.kind == Kind.PLAIN;
	}

	/**
	 * Calls back on subscription to the promise of a method, with the subscriber's
	 * context.
	 */
	public Object subscribing(Object promise, Consumer<Object> callback) {
		return Publishers.subscribing(this, promise, callback);
	}

	/**
	 * Passes each value of a publisher of several to a consumer, before the subscriber
	 * gets it.
	 */
	public Object observed(Object promise, Consumer<Object> each) {
		return Publishers.observed(this, promise, each);
	}

	/**
	 * Returns the result of a call that publishes a present value.
	 * @param value the value, a list where there may be several, or {@code null} for none
	 * @throws IllegalArgumentException if nothing is published in this form
	 */
	public Object publishing(@Nullable Object value) {
		return switch (this.kind) {
			case PLAIN, FUTURE -> throw new IllegalArgumentException("Not a publisher");
			case SINGLE, MULTIPLE -> Publishers.just(this, value);
		};
	}

	public enum Kind {

		/** A value, at once. */
		PLAIN,

		/** One value, later, once. */
		FUTURE,

		/** At most one value to each subscriber. */
		SINGLE,

		/** Any number of values to each subscriber. */
		MULTIPLE

	}

}
