// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;

/**
 * Finds the properties and methods that an expression reads from its root object by a
 * bare name: mostly variables without their {@code #}, or texts without quotes.
 */
final class ExpressionRoots {

	private ExpressionRoots() {
	}

	/**
	 * Returns a property or a method that the root object does not have.
	 */
	static @Nullable SpelNode findUnknown(SpelNode node, Set<String> known) {
		String name = nameOf(node);
		if (name != null && !known.contains(name)) {
			return node;
		}
		// Names in these belong to an element
		return (node instanceof Projection || node instanceof Selection) ? null : findUnknownBelow(node, known);
	}

	private static @Nullable SpelNode findUnknownBelow(SpelNode node, Set<String> known) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			// Belongs to the node before it, or is the name of a key
			boolean ofOther = (node instanceof CompoundExpression && i > 0) || node instanceof Indexer
					|| (node instanceof InlineMap && i % 2 == 0);
			SpelNode unknown = (ofOther && nameOf(child) != null) ? findUnknownBelow(child, known)
					: findUnknown(child, known);
			if (unknown != null) {
				return unknown;
			}
		}
		return null;
	}

	private static @Nullable String nameOf(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property) {
			return property.getName();
		}
		return (node instanceof MethodReference method) ? method.getName() : null;
	}

}
