// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;

/**
 * Puts a {@link BlacklistReactiveJwtDecoder} around every {@link ReactiveJwtDecoder}
 * bean.
 */
public class ReactiveJwtDecoderPostProcessor implements BeanPostProcessor {

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	public ReactiveJwtDecoderPostProcessor(Supplier<@Nullable TokenBlacklist> blacklist) {
		this.blacklist = blacklist;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof ReactiveJwtDecoder decoder && !(bean instanceof BlacklistReactiveJwtDecoder))
				? new BlacklistReactiveJwtDecoder(decoder, this.blacklist) : bean;
	}

}
