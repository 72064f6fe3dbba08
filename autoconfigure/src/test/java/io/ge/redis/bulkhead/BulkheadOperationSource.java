// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;

/**
 * Reads {@link Bulkhead}.
 */
final class BulkheadOperationSource extends OperationSource<Bulkhead, BulkheadOperation> {

	private final Supplier<BulkheadProperties> properties;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	private final NamedSettings<Long> limits = new NamedSettings<>();

	BulkheadOperationSource(Supplier<BulkheadProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions) {
		super(Bulkhead.class);
		this.properties = properties;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected BulkheadOperation parse(List<Bulkhead> annotations, GuardedMethod method) {
		Bulkhead annotation = annotations.get(0);
		String name = this.attributes.name(method, annotation.name());
		Settings settings = new Settings();
		Long limit = settings.pickOptional("limit", this.properties.get().limits().get(name),
				this.attributes.number(method, "limit", annotation.limit()));
		if (limit == null || limit < 1) {
			throw method.problem("it has no limit of at least 1.",
					"Set limit or ge.redis.bulkhead.limits." + name + ".");
		}
		this.limits.register(name, limit, method);
		String key = settings.pickOptional("key", null, this.attributes.text(method, "key", annotation.key()));
		return new BulkheadOperation(name, limit,
				(key != null) ? this.expressions.compileKey(method, "key", key) : null, ReturnTypes.form(method),
				new GuardDescription("bulkhead", "Bulkhead", name, settings.toMap()));
	}

}
