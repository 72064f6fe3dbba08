// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.List;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link BlacklistCheck}.
 */
final class BlacklistOperationSource extends OperationSource<BlacklistCheck, BlacklistOperation> {

	private final BlacklistRegistry lists;

	private final PresentedTokens tokens;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	BlacklistOperationSource(BlacklistRegistry lists, PresentedTokens tokens, AttributeReader attributes,
			ExpressionCompiler expressions) {
		super(BlacklistCheck.class);
		this.lists = lists;
		this.tokens = tokens;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected BlacklistOperation parse(List<BlacklistCheck> annotations, GuardedMethod method) {
		ResultForm form = ReturnTypes.form(method);
		BlacklistCheck annotation = annotations.get(0);
		String name = this.attributes.name(method, annotation.name());
		Settings settings = new Settings();
		BlacklistSettings list = this.lists.define(name,
				new BlacklistProperties.NamedList(AttributeReader.given(annotation.onOutage(), OutagePolicy.DEFAULT)),
				settings, method);
		String token = this.attributes.text(method, "token", annotation.token());
		String subject = this.attributes.text(method, "subject", annotation.subject());
		requireOneTarget(token, subject, form, method);
		settings.pickOptional("token", null, token);
		settings.pickOptional("subject", null, subject);
		return new BlacklistOperation(list, (token != null) ? this.expressions.compile(method, "token", token) : null,
				(subject != null) ? this.expressions.compileKey(method, "subject", subject) : null, form,
				new GuardDescription("blacklist", "BlacklistCheck", name, settings.toMap()));
	}

	private void requireOneTarget(@Nullable String token, @Nullable String subject, ResultForm form,
			GuardedMethod method) {
		if (token != null && subject != null) {
			throw method.problem("it names both a token and a subject.",
					"Keep one of token = \"" + token + "\" and subject = \"" + subject + "\".");
		}
		if (token == null && subject == null && !this.tokens.knowsCurrent(form)) {
			throw method.problem("it names neither token nor subject, and nothing knows the token of the caller.",
					"Add spring-boot-starter-security-oauth2-resource-server (on WebFlux, return a Mono or a Flux "
							+ "besides), define a bean of type " + CurrentToken.class.getName()
							+ ", or write what is to be checked, as in subject = \"#account\".");
		}
	}

}
