// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;

/**
 * The transactional settings of a writer, as far as annotations state them.
 *
 * @param name the name that a transaction begun for it has
 */
record TransactionBoundary(Kind kind, String name) {

	static final TransactionBoundary UNKNOWN = new TransactionBoundary(Kind.NONE, "");

	static TransactionBoundary of(Method method, Class<?> targetClass, TransactionAttributeSource source) {
		TransactionAttribute attribute = source.getTransactionAttribute(method, targetClass);
		if (attribute == null) {
			return UNKNOWN;
		}
		String name = attribute.getName();
		return new TransactionBoundary(kind(attribute),
				(name != null) ? name : ClassUtils.getQualifiedMethodName(method, targetClass));
	}

	private static Kind kind(TransactionAttribute attribute) {
		return switch (attribute.getPropagationBehavior()) {
			case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> Kind.NEW;
			case TransactionDefinition.PROPAGATION_NOT_SUPPORTED, TransactionDefinition.PROPAGATION_NEVER ->
				Kind.SUSPENDED;
			case TransactionDefinition.PROPAGATION_SUPPORTS -> Kind.NONE;
			default -> Kind.OWN_OR_CALLERS;
		};
	}

	/**
	 * Returns whether the writer takes part in a transaction that exists already.
	 */
	boolean joins() {
		return this.kind == Kind.NONE || this.kind == Kind.OWN_OR_CALLERS;
	}

	boolean opensItsOwn() {
		return this.kind == Kind.OWN_OR_CALLERS || this.kind == Kind.NEW;
	}

	boolean begins(@Nullable String transactionName) {
		return this.kind == Kind.NEW && this.name.equals(transactionName);
	}

	enum Kind {

		/** In the caller's, if there is one. */
		NONE,

		/** In the caller's, else in one of its own. */
		OWN_OR_CALLERS,

		/** In one of its own. */
		NEW,

		/** In none. */
		SUSPENDED

	}

}
