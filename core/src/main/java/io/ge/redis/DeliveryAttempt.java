// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter of type {@code int} of a listener that receives how often its message was
 * delivered, this time included: 1 at first. Deliveries to processes that died count.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DeliveryAttempt {

}
